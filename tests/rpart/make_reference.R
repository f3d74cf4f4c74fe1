# Write what rpart finds on the data sets of this repository, one JSON file for each case.
#
#   Rscript tests/rpart/make_reference.R [data folder [output folder]]
#
# Run it from the root of the repository; the folders default to src/spinney/datasets/data and
# tests/rpart/reference. It needs rpart and jsonlite; the files here come from rpart 4.1.19.
# There is no randomness: the same rpart writes the same files.
#
# What a file holds
#   case ... predict_gaps   how to repeat the fit: data set, number of leading rows, control, split
#                           rule, loss matrix (rows true, columns predicted), priors, weights, gaps.
#                           A row's weight is 1 + (row mod cycle), rows counted from 0.
#   columns                 name, kind and, if any, levels in order.
#   nodes                   rpart's frame in its order: the node number (children 2k and 2k + 1),
#                           n, wt, dev, yval, complexity, and for classes `counts` (weights) and
#                           `probs`. An internal node has a `split` and a list of `surrogates`.
#     numeric               `cut`, and `below`: the side that x < cut goes to.
#     ordered               the same for codes that count from 0; the cut is set between the levels.
#     nominal               `levels`: a letter for each level, L left, R right, - not in the node.
#     worth                 `improve` of a split; `agree` and `adj` of a surrogate.
#   cptable                 CP, nsplit, rel error.
#   importance              rpart's variable.importance.
#   train_node              the node number that each training row is predicted from.
#   gap_node                the same with the cells of `predict_gaps` deleted as well.
#
# Splits whose complexity is rounding error (below 1e-12 of the root's risk) are pruned off: they
# gain nothing, and rpart prunes such splits when it can tell.

suppressPackageStartupMessages({
  library(rpart)
  library(jsonlite)
})
stopifnot(packageVersion("rpart") == "4.1.19")
source("tests/rpart/read_rpart.R")

# ---- data sets -----------------------------------------------------------------------------------

# Columns named in neither list are of kind `others`. Ordered levels run from lowest to highest.
KINDS <- list(
  adult = list(
    target = "income",
    nominal = words("workclass marital_status occupation relationship race sex native_country"),
    ordered = list(education = words(paste(
      "Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college",
      "Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate"
    )))
  ),
  boston_housing = list(target = "medv", nominal = "chas"),
  car_evaluation = list(ordered = list(
    buying = words("low med high vhigh"), maint = words("low med high vhigh"),
    doors = words("2 3 4 5more"), persons = words("2 4 more"),
    lug_boot = words("small med big"), safety = words("low med high")
  )),
  cpu_performance = list(target = "published_relative_performance", nominal = "vendor_name"),
  german_credit = list(
    nominal = words(paste(
      "checking_status credit_history purpose savings_status personal_status_and_sex",
      "other_debtors property other_installment_plans housing telephone foreign_worker"
    )),
    ordered = list(
      employment_since = words("A71 A72 A73 A74 A75"), job = words("A171 A172 A173 A174")
    )
  ),
  heart_disease = list(
    nominal = words(paste(
      "sex chest_pain_type fasting_blood_sugar_gt_120 resting_ecg",
      "exercise_induced_angina thal"
    )),
    ordered = list(st_slope = words("1 2 3"))
  ),
  lymphography = list(
    others = "nominal",
    ordered = list(
      lymph_nodes_diminish = words("1 2 3"), lymph_nodes_enlarge = words("1 2 3 4"),
      number_of_nodes_in = words("1 2 3 4 5 6 7 8")
    )
  ),
  mushroom = list(others = "nominal")
)

kind_of <- function(column, kinds) {
  if (column %in% names(kinds$ordered)) return("ordered")
  if (column %in% kinds$nominal) return("nominal")
  if (is.null(kinds$others)) "numeric" else kinds$others
}

# The table with typed columns, and the target as column `.y`. Levels are sorted as bytes.
read_set <- function(folder, name, rows) {
  path <- file.path(folder, paste0(name, ".csv"))
  if (!file.exists(path)) path <- paste0(path, ".gz")
  raw <- read.csv(path, colClasses = "character", na.strings = "", check.names = FALSE)
  if (!is.null(rows)) raw <- raw[seq_len(rows), ]
  kinds <- KINDS[[name]]
  target <- if (is.null(kinds$target)) "class" else kinds$target
  features <- setdiff(names(raw), target)
  sorted <- function(x) sort(unique(x), method = "radix")
  typed <- lapply(setNames(features, features), function(column) {
    switch(kind_of(column, kinds),
      numeric = as.numeric(raw[[column]]),
      nominal = factor(raw[[column]], levels = sorted(raw[[column]])),
      ordered = factor(raw[[column]], levels = kinds$ordered[[column]], ordered = TRUE)
    )
  })
  is_number <- name %in% c("boston_housing", "cpu_performance")
  y <- if (is_number) as.numeric(raw[[target]]) else factor(raw[[target]], sorted(raw[[target]]))
  list(x = as.data.frame(typed, check.names = FALSE), y = y)
}

# ---- cases ---------------------------------------------------------------------------------------

new_case <- function(set, tag = NULL, rows = NULL, split = "gini", loss = NULL, priors = NULL,
                     cycle = NULL, gaps = NULL, ...) {
  control <- list(
    minsplit = 20, minbucket = 7, cp = 0, maxcompete = 0, maxsurrogate = 5, usesurrogate = 2,
    xval = 0, surrogatestyle = 1, maxdepth = 30
  )
  changes <- list(...)
  control[names(changes)] <- changes
  list(
    case = paste(c(set, tag), collapse = "__"), set = set, rows = rows, split = split,
    loss = loss, priors = priors, cycle = cycle, train_gaps = gaps, control = control
  )
}

grown <- function(set) new_case(set, "grown", minsplit = 2, minbucket = 1)
gappy <- function(set, ...) new_case(set, "gaps", gaps = list(seed = 5, below = 202), ...)
square <- function(...) matrix(c(...), nrow = sqrt(length(c(...))), byrow = TRUE)

PLAIN <- words(paste(
  "pima_indians_diabetes german_credit heart_disease breast_cancer_wisconsin iris wine glass yeast",
  "balance_scale lymphography mushroom car_evaluation boston_housing cpu_performance"
))

CASES <- c(
  lapply(PLAIN, new_case),
  lapply(words("iris wine glass lymphography cpu_performance"), grown),
  lapply(words("pima_indians_diabetes iris boston_housing"), gappy),
  lapply(words("pima_indians_diabetes german_credit glass boston_housing"), function(set) {
    new_case(set, "count", gaps = list(seed = 11, below = 202), surrogatestyle = 0)
  }),
  lapply(words("pima_indians_diabetes german_credit glass boston_housing"), function(set) {
    new_case(set, "depth3", maxdepth = 3)
  }),
  lapply(words("heart_disease german_credit glass"), function(set) {
    new_case(set, "entropy", split = "information")
  }),
  list(
    new_case("adult", rows = 5000),
    new_case("heart_disease", "loss", loss = square(0, 1, 5, 0)),
    new_case("german_credit", "loss", loss = square(0, 5, 1, 0)),
    new_case("wine", "loss", loss = square(0, 1, 4, 2, 0, 1, 1, 3, 0), minsplit = 2, minbucket = 1),
    new_case("heart_disease", "priors", priors = c(0.65, 0.35)),
    new_case("glass", "priors", priors = rep(1, 6) / 6),
    new_case(
      "pima_indians_diabetes", "loss_priors",
      loss = square(0, 1, 5, 0), priors = c(0.8, 0.2)
    ),
    new_case("heart_disease", "weights", cycle = 3),
    new_case("boston_housing", "weights", cycle = 4),
    new_case("german_credit", "one_surrogate", gaps = list(seed = 9, below = 101), maxsurrogate = 1)
  )
)
PREDICT_GAPS <- list(seed = 77, below = 303)

# ---- fits ----------------------------------------------------------------------------------------

fit_case <- function(case, x, y) {
  data <- cbind(x, .y = y)
  data$.w <- if (is.null(case$cycle)) 1 else 1 + (seq_len(nrow(x)) - 1) %% case$cycle
  classes <- is.factor(y)
  arguments <- list(
    formula = reformulate(sprintf("`%s`", names(x)), ".y"), data = data, weights = quote(.w),
    na.action = na.pass, method = if (classes) "class" else "anova",
    control = do.call(rpart.control, case$control)
  )
  parms <- list(split = case$split, loss = case$loss, prior = case$priors)
  if (classes) arguments$parms <- parms[lengths(parms) > 0]
  fit <- do.call(rpart, arguments)
  without_noise(fit)
}

result_of <- function(case, folder) {
  set <- read_set(folder, case$set, case$rows)
  x <- if (is.null(case$train_gaps)) set$x else delete_cells(set$x, case$train_gaps)
  fit <- fit_case(case, x, set$y)
  train_node <- node_of(fit, x)
  stopifnot(train_node == as.integer(rownames(fit$frame))[fit$where])
  list(
    case = case$case, rpart = as.character(packageVersion("rpart")), set = case$set,
    rows = nrow(x), method = fit$method, control = case$control, split = case$split,
    classes = if (is.factor(set$y)) I(levels(set$y)), loss = case$loss, priors = case$priors,
    cycle = case$cycle, train_gaps = case$train_gaps, predict_gaps = PREDICT_GAPS,
    columns = describe_columns(x), cptable = unname(fit$cptable[, 1:3, drop = FALSE]),
    importance = as.list(fit$variable.importance), nodes = read_nodes(fit),
    train_node = I(train_node), gap_node = I(node_of(fit, delete_cells(x, PREDICT_GAPS)))
  )
}

# ---- files ---------------------------------------------------------------------------------------

# One line for each key, and one for each column and node, so that a difference can be read.
to_text <- function(result) {
  json <- function(value) {
    toJSON(value, auto_unbox = TRUE, digits = I(15), null = "null", na = "null")
  }
  entry <- function(key) {
    value <- result[[key]]
    if (!key %in% c("columns", "nodes")) return(sprintf("\"%s\": %s", key, json(value)))
    items <- vapply(value, function(item) as.character(json(item)), "")
    sprintf("\"%s\": [\n%s\n]", key, paste0("  ", items, collapse = ",\n"))
  }
  paste0("{\n", paste(vapply(names(result), entry, ""), collapse = ",\n"), "\n}\n")
}

write_case <- function(case, folder, out) {
  text <- to_text(result_of(case, folder))
  file <- file(file.path(out, paste0(case$case, ".json")), "wb")
  on.exit(close(file))
  writeChar(text, file, eos = NULL, useBytes = TRUE)
}

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) > 0) arguments[1] else "src/spinney/datasets/data"
out <- if (length(arguments) > 1) arguments[2] else "tests/rpart/reference"
dir.create(out, recursive = TRUE, showWarnings = FALSE)
for (case in CASES) write_case(case, folder, out)
