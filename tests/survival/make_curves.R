# Write what R's survival finds: Kaplan-Meier and Nelson-Aalen curves of two groups, the log-rank
# statistic that compares them, and concordance.
#
#   Rscript tests/survival/make_curves.R
#
# Run it from the root of the repository after tests/rpart/make_lifetimes.R, whose data it reads. The
# groups are the rows up to the median of a column and those above it; the column is the risk, too.
# The file here comes from survival 3.5-3.

suppressPackageStartupMessages(library(survival))
source("tests/rpart/read_rpart.R")

COLUMNS <- list(stagec = "age", lung = "age", pbc = "bili", veteran = "karno")

curves_of <- function(set) {
  d <- read.csv(file.path("tests/rpart/lifetimes/data", paste0(set, ".csv")))
  y <- Surv(d$.time, d$.event)
  x <- d[[COLUMNS[[set]]]]
  low <- x <= median(x)
  at <- quantile(d$.time, 1:9 / 10, names = FALSE)
  curve <- function(rows) {
    fit <- summary(survfit(y[rows] ~ 1), times = at, extend = TRUE)
    list(survival = I(fit$surv), hazard = I(fit$cumhaz))
  }
  list(
    set = set, column = COLUMNS[[set]], cut = median(x), times = I(at), low = curve(low),
    high = curve(!low), chisq = survdiff(y ~ low)$chisq,
    concordance = unname(concordance(y ~ x, reverse = TRUE)$concordance)
  )
}

lines <- vapply(names(COLUMNS), function(set) json(curves_of(set)), "")
writeLines(paste0("[\n", paste(lines, collapse = ",\n"), "\n]"), "tests/survival/curves.json")
