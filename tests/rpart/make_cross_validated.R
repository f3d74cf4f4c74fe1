# Write rpart's table of cross-validated errors for folds that are given, one CSV file for each case.
#
#   Rscript tests/rpart/make_cross_validated.R [data folder [output folder]]
#
# Run it from the root of the repository; the folders default to src/spinney/datasets/data and
# tests/rpart/cross_validated. The files here come from rpart 4.1.19. There is no randomness: row i,
# counted from 1, is in group (7 i + floor(31 i / 13)) mod 5.
#
# Columns are negated. A row that was held out may hold the very value of a cut; rpart sends it with
# the larger values, and so, turned round, with the smaller ones, as `x <= c` does.

suppressPackageStartupMessages(library(rpart))
stopifnot(packageVersion("rpart") == "4.1.19")

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) > 0) arguments[1] else "src/spinney/datasets/data"
out <- if (length(arguments) > 1) arguments[2] else "tests/rpart/cross_validated"
dir.create(out, recursive = TRUE, showWarnings = FALSE)

write_case <- function(set, target = "class", method = "class", priors = NULL) {
  x <- read.csv(file.path(folder, paste0(set, ".csv")))
  y <- x[[target]]
  x[[target]] <- NULL
  data <- as.data.frame(lapply(x, function(column) -column))
  data$.y <- if (method == "class") factor(y) else y
  i <- seq_len(nrow(data))
  control <- rpart.control(
    minsplit = 20, minbucket = 7, cp = 0, maxcompete = 0, surrogatestyle = 1, maxdepth = 30,
    xval = (7 * i + (31 * i) %/% 13) %% 5 + 1
  )
  arguments <- list(.y ~ ., data = data, method = method, control = control)
  if (!is.null(priors)) arguments$parms <- list(prior = priors)
  fit <- do.call(rpart, arguments)
  name <- paste(c(set, if (!is.null(priors)) "priors"), collapse = "__")
  table <- format(fit$cptable, digits = 15, trim = TRUE)
  write.csv(table, file.path(out, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}

write_case("wine")
write_case("boston_housing", "medv", "anova")
write_case("balance_scale", priors = c(0.25, 0.5, 0.25))
write_case("breast_cancer_wdbc", "diagnosis", priors = c(0.25, 0.75))
write_case("bupa_liver", "selector", priors = c(0.75, 0.25))
write_case("iris", priors = c(0.2, 0.5, 0.3))
