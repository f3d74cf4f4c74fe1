# Write what calls of rpart give that spinney.rpart repeats, one JSON file for each call.
#
#   Rscript tests/rpart/make_door.R [output folder]
#
# Run it from the root of the repository. It needs rpart, survival and jsonlite; the files here come
# from rpart 4.1.19. Folds are given (row i, from 0, is in fold i mod 10), so that nothing is random.
#
# kyphosis.csv is rpart's own (Chambers and Hastie 1992): children after surgery of the spine.

suppressPackageStartupMessages({
  library(rpart)
  library(survival)
  library(jsonlite)
})
stopifnot(packageVersion("rpart") == "4.1.19")
out <- c(commandArgs(trailingOnly = TRUE), "tests/rpart/door")[1]
write.csv(kyphosis, file.path(out, "kyphosis.csv"), row.names = FALSE, quote = FALSE)

record <- function(name, fit, ...) {
  splits <- fit$splits
  root <- fit$frame[1, ]
  first <- splits[seq_len(1 + root$ncompete), , drop = FALSE]
  rest <- splits[1 + root$ncompete + seq_len(root$nsurrogate), , drop = FALSE]
  said <- grep("expected loss=", capture.output(summary(fit)), value = TRUE)
  result <- list(
    losses = I(as.numeric(sub(".*expected loss=([^ ]*) .*", "\\1", said))),
    cptable = lapply(seq_len(nrow(fit$cptable)), function(i) unname(fit$cptable[i, ])),
    primary = list(names = I(as.character(rownames(first))), improve = I(unname(first[, "improve"]))),
    surrogates = list(names = I(as.character(rownames(rest))), agree = I(unname(rest[, "improve"]))),
    importance = as.list(fit$variable.importance),
    nodes = I(as.integer(rownames(fit$frame))),
    complexity = I(fit$frame$complexity[fit$frame$var != "<leaf>"]),
    n = I(fit$frame$n)
  )
  write_json(result, file.path(out, paste0(name, ".json")), digits = NA, auto_unbox = TRUE)
}

folds <- function(data) (seq_len(nrow(data)) - 1) %% 10 + 1  # rpart holds out from 1 on
k <- folds(kyphosis)
formula <- Kyphosis ~ Age + Number + Start
record("class", rpart(formula, kyphosis, method = "class", xval = k))
record("information", rpart(formula, kyphosis, method = "class", xval = k, parms = list(split = "information")))
record("prior", rpart(formula, kyphosis, method = "class", xval = k, parms = list(prior = c(0.65, 0.35))))
record("loss", rpart(formula, kyphosis,
  method = "class", xval = k,
  parms = list(loss = matrix(c(0, 3, 1, 0), nrow = 2))
))
record("control", rpart(formula, kyphosis,
  method = "class", xval = k,
  control = rpart.control(minsplit = 10, cp = 0.001, maxcompete = 2, maxsurrogate = 1)
))

read <- function(path) read.csv(path, stringsAsFactors = TRUE)
houses <- read("src/spinney/datasets/data/boston_housing.csv")
record("anova", rpart(medv ~ ., houses, method = "anova", xval = folds(houses)))
solder <- read("tests/rpart/counts/data/solder.csv")
record("poisson", rpart(.count ~ ., solder, method = "poisson", xval = folds(solder)))
policies <- read("tests/rpart/counts/data/policies.csv")
record("exposure", rpart(cbind(.exposure, .count) ~ ., policies,
  method = "poisson", xval = folds(policies)
))
veteran <- read("tests/rpart/lifetimes/data/veteran.csv")
record("exp", rpart(Surv(.time, .event) ~ ., veteran, method = "exp", xval = folds(veteran)))
