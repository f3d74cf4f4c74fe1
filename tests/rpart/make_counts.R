# Write what rpart finds by method = "poisson": data, trees and tables of cross-validated errors.
#
#   Rscript tests/rpart/make_counts.R [output folder]
#
# Run it from the root of the repository; the folder defaults to tests/rpart/counts. It needs rpart
# and MASS; the files here come from rpart 4.1.19. The same rpart writes the same files.
#
# What the folder holds
#   data/<set>.csv     the columns, then .count and .exposure. An empty cell is a gap.
#   <case>.json        as make_reference.R describes it, with `shrink` and `exposure` (whether the
#                      fit has one). `yval` is the rate. `xerror` and `xstd` are for the groups
#                      (7 i + floor(31 i / 13)) mod 5, rows i counted from 1; null stands for an
#                      infinite error, and for the deviation of one. For these, numeric columns of
#                      policies without gaps are negated, as make_cross_validated.R explains.
#
# Where the data come from
#   solder, solder_all   rpart's `solder.balance` and `solder` (Chambers and Hastie 1992, from
#                        Comizzoli, Landwehr and Sinclair 1990): skips of soldering on circuit boards.
#   insurance            MASS's `Insurance` (Venables and Ripley 2002, from Baxter, Coutts and Ross
#                        1980): claims of car owners in the third quarter of 1973.
#   policies, visits     drawn below: rates that depend on categories and numbers, with gaps.
# rpart and MASS are under the GNU General Public Licence, version 2 or 3.

suppressPackageStartupMessages(library(rpart))
stopifnot(packageVersion("rpart") == "4.1.19")
source("tests/rpart/read_rpart.R")

# ---- data ----------------------------------------------------------------------------------------

policies <- function(n = 1500) {
  set.seed(1)
  x <- data.frame(
    age = sample(18:90, n, TRUE), power = sample(4:15, n, TRUE),
    density = round(exp(rnorm(n, 6, 2)), 1),
    region = factor(sample(sprintf("R%02d", 1:14), n, TRUE)),
    fuel = factor(sample(c("diesel", "petrol"), n, TRUE)),
    area = factor(sample(c("a", "b", "c", "d"), n, TRUE), ordered = TRUE)
  )
  exposure <- round(runif(n, 0.05, 1), 2)
  rate <- 0.4 * exp(0.8 * (x$age < 26) - 0.6 * (x$region %in% c("R02", "R05", "R11")) +
    0.1 * (x$power - 9) * (x$fuel == "diesel") + 0.15 * as.integer(x$area))
  list(x = x, count = rpois(n, exposure * rate), exposure = exposure)
}

visits <- function(n = 700) {
  set.seed(2)
  x <- data.frame(
    ward = factor(sample(letters[1:22], n, TRUE)), severity = sample(1:9, n, TRUE),
    weight = round(rnorm(n, 75, 15), 1), distance = round(rexp(n, 0.1), 2),
    smoker = factor(sample(c("no", "yes"), n, TRUE))
  )
  rate <- exp(0.15 * x$severity - 0.6 + 0.7 * (x$ward %in% c("c", "f", "k")) - 0.02 * x$distance)
  gone <- function(column, share) replace(column, runif(n) < share, NA)
  count <- rpois(n, rate)
  x <- as.data.frame(lapply(x, gone, 0.1))
  x$weight <- gone(ifelse(is.na(x$severity), x$weight, x$weight + 4 * x$severity), 0.2)
  list(x = x, count = count, exposure = NULL)
}

SETS <- list(
  solder = local({
    d <- rpart::solder.balance
    list(x = d[names(d) != "skips"], count = d$skips, exposure = NULL)
  }),
  solder_all = local({
    d <- rpart::solder
    list(x = d[names(d) != "skips"], count = d$skips, exposure = NULL)
  }),
  insurance = local({
    d <- MASS::Insurance
    list(x = d[c("District", "Group", "Age")], count = d$Claims, exposure = d$Holders)
  }),
  policies = policies(),
  visits = visits()
)
for (name in names(SETS)) SETS[[name]]$x <- plain(SETS[[name]]$x)

# ---- cases ---------------------------------------------------------------------------------------

new_case <- function(set, tag = NULL, shrink = 1, exposure = TRUE, cycle = NULL, gaps = NULL, ...) {
  control <- list(
    minsplit = 20, minbucket = 7, cp = 0, maxcompete = 0, maxsurrogate = 5, usesurrogate = 2,
    surrogatestyle = 1, maxdepth = 30
  )
  changes <- list(...)
  control[names(changes)] <- changes
  list(
    case = paste(c(set, tag), collapse = "__"), set = set, shrink = shrink,
    exposure = exposure && !is.null(SETS[[set]]$exposure), cycle = cycle, train_gaps = gaps,
    control = control
  )
}

GAPS <- list(seed = 5, below = 202)
small <- function(...) new_case("insurance", ..., minsplit = 4, minbucket = 2)
CASES <- list(
  new_case("solder"), new_case("solder", "no_prior", shrink = 0),
  new_case("solder", "weights", cycle = 3), new_case("solder", "gaps", gaps = GAPS),
  new_case("solder", "depth3", maxdepth = 3), new_case("solder_all"),
  new_case("solder_all", "half", shrink = 0.5), new_case("solder_all", "gaps", 0, gaps = GAPS),
  small(), small("no_prior", shrink = 0), small("claims", exposure = FALSE),
  small("weights", cycle = 3), small("gaps", gaps = list(seed = 3, below = 101)),
  new_case("policies"), new_case("policies", "no_prior", shrink = 0),
  new_case("policies", "claims", exposure = FALSE), new_case("policies", "weights", cycle = 4),
  new_case("policies", "gaps", gaps = GAPS), new_case("policies", "gaps_no_prior", 0, gaps = GAPS),
  new_case("policies", "strong", shrink = 0.2),
  new_case("visits"), new_case("visits", "no_prior", shrink = 0),
  new_case("visits", "weights", cycle = 3), new_case("visits", "one_surrogate", maxsurrogate = 1)
)
PREDICT_GAPS <- list(seed = 77, below = 303)

fit_case <- function(case, x, xval) {
  set <- SETS[[case$set]]
  data <- x
  data$.w <- if (is.null(case$cycle)) 1 else 1 + (seq_len(nrow(x)) - 1) %% case$cycle
  data$.count <- set$count
  data$.time <- set$exposure
  answer <- if (case$exposure) "cbind(.time, .count)" else ".count"
  arguments <- list(
    formula = as.formula(paste(answer, "~", paste(names(x), collapse = " + "))), data = data,
    weights = quote(.w), na.action = na.pass, method = "poisson",
    parms = list(shrink = case$shrink), control = do.call(rpart.control, c(case$control, list(xval = xval)))
  )
  do.call(rpart, arguments)
}

# Negated columns and given groups; a table of all but the errors that the fit has already.
cross_validated <- function(case, x) {
  if (case$set == "policies" && is.null(case$train_gaps))
    x <- as.data.frame(lapply(x, function(column) if (is.factor(column)) column else -column))
  i <- seq_len(nrow(x))
  fit_case(case, x, (7 * i + (31 * i) %/% 13) %% 5 + 1)$cptable
}

result_of <- function(case) {
  x <- SETS[[case$set]]$x
  if (!is.null(case$train_gaps)) x <- delete_cells(x, case$train_gaps)
  fit <- without_noise(fit_case(case, x, 0))
  train_node <- as.integer(rownames(fit$frame))[fit$where]
  c(list(rpart = as.character(packageVersion("rpart")), method = fit$method), case, list(
    rows = nrow(x), predict_gaps = PREDICT_GAPS, columns = describe_columns(x),
    cptable = unname(fit$cptable[, 1:3, drop = FALSE]),
    cross_validated = unname(cross_validated(case, x)),
    importance = as.list(fit$variable.importance), nodes = read_nodes(fit),
    train_node = I(train_node), gap_node = I(node_of(fit, delete_cells(x, PREDICT_GAPS)))
  ))
}

# ---- files ---------------------------------------------------------------------------------------

arguments <- commandArgs(trailingOnly = TRUE)
out <- if (length(arguments) > 0) arguments[1] else "tests/rpart/counts"
dir.create(file.path(out, "data"), recursive = TRUE, showWarnings = FALSE)
for (name in names(SETS)) {
  set <- SETS[[name]]
  data <- set$x
  data$.count <- set$count
  data$.exposure <- set$exposure
  write.csv(data, file.path(out, "data", paste0(name, ".csv")), row.names = FALSE, na = "")
}
for (case in CASES) write_result(result_of(case), out)
