# Write what rpart finds by method = "exp": data, trees and tables of cross-validated errors.
#
#   Rscript tests/rpart/make_lifetimes.R [output folder]
#
# Run it from the root of the repository; the folder defaults to tests/rpart/lifetimes. It needs
# rpart and survival; the files here come from rpart 4.1.19. The same rpart writes the same files.
#
# What the folder holds
#   data/<set>.csv     the columns, then .event and .time. An empty cell is a gap.
#   <case>.json        as make_reference.R describes it, with `shrink`, and `scaled`: the times of
#                      the rows on rpart's scale. `yval` is the relative risk. `xerror` and `xstd`
#                      are for the groups (7 i + floor(31 i / 13)) mod 5, rows i counted from 1; null
#                      stands for an infinite error, and for the deviation of one. For these, x of
#                      numeric columns is sqrt(x - min(x) + 1), so that no held-out row holds the very
#                      value of a cut, which rpart sends right and `x <= c` left.
#
# Where the data come from
#   stagec             rpart's: prostate cancer, stage C (Mayo Clinic)
#   lung, pbc, veteran survival's: advanced lung cancer (North Central Cancer Treatment Group);
#                      primary biliary cirrhosis (Mayo Clinic); the Veterans' Administration trial
#   machines, stays    drawn below: hazards that depend on categories and numbers; stays has gaps and
#                      more than a thousand times of events, machines few times and so many ties.
#   *_whole            the rows of another set that have all their values.
# rpart is under the GNU General Public Licence, version 2 or 3, survival under the Lesser one.

suppressPackageStartupMessages({
  library(rpart)
  library(survival)
})
stopifnot(packageVersion("rpart") == "4.1.19")
source("tests/rpart/read_rpart.R")

# ---- data ----------------------------------------------------------------------------------------

machines <- function(n = 600) {
  set.seed(3)
  x <- data.frame(
    load = round(runif(n, 10, 99), 1), age = sample(0:30, n, TRUE),
    plant = factor(sample(sprintf("P%02d", 1:11), n, TRUE)),
    oil = factor(sample(c("old", "new"), n, TRUE)),
    shift = factor(sample(c("day", "late", "night"), n, TRUE), c("day", "late", "night"), ordered = TRUE)
  )
  hazard <- 0.04 * exp(0.03 * (x$load - 55) + 0.7 * (x$plant %in% c("P02", "P07")) +
    0.3 * as.integer(x$shift) * (x$oil == "old"))
  end <- ceiling(rexp(n, hazard))
  stop <- sample(5:60, n, TRUE)
  list(x = x, event = as.numeric(end <= stop), time = pmin(end, stop))
}

stays <- function(n = 1800) {
  set.seed(4)
  x <- data.frame(
    ward = factor(sample(letters[1:17], n, TRUE)), severity = sample(1:9, n, TRUE),
    weight = round(rnorm(n, 75, 15), 1), smoker = factor(sample(c("no", "yes"), n, TRUE))
  )
  end <- rweibull(n, 1.4, 10 * exp(-0.15 * x$severity - 0.6 * (x$ward %in% c("c", "f", "k"))))
  stop <- runif(n, 1, 25)
  gone <- function(column, share) replace(column, runif(n) < share, NA)
  x <- as.data.frame(lapply(x, gone, 0.1))
  x$weight <- ifelse(is.na(x$severity), x$weight, x$weight + 4 * x$severity)
  list(x = x, event = as.numeric(end <= stop), time = round(pmin(end, stop), 4))
}

of <- function(d, time, event, columns) list(x = d[columns], event = as.numeric(event), time = d[[time]])
SETS <- list(
  stagec = of(stagec, "pgtime", stagec$pgstat == 1, words("age eet g2 grade gleason ploidy")),
  lung = of(lung, "time", lung$status == 2, words("age sex ph.ecog ph.karno pat.karno meal.cal wt.loss")),
  pbc = of(pbc, "time", pbc$status == 2, setdiff(names(pbc), words("id time status"))),
  veteran = of(veteran, "time", veteran$status == 1, words("trt celltype karno diagtime age prior")),
  machines = machines(),
  stays = stays()
)
for (name in names(SETS)) SETS[[name]]$x <- plain(SETS[[name]]$x)

without_gaps <- function(set) {
  whole <- complete.cases(set$x)
  list(x = droplevels(set$x[whole, ]), event = set$event[whole], time = set$time[whole])
}
for (name in words("stagec pbc stays")) SETS[[paste0(name, "_whole")]] <- without_gaps(SETS[[name]])

# ---- cases ---------------------------------------------------------------------------------------

new_case <- function(set, tag = NULL, shrink = 1, gaps = NULL, ...) {
  control <- list(
    minsplit = 20, minbucket = 7, cp = 0, maxcompete = 0, maxsurrogate = 5, usesurrogate = 2,
    surrogatestyle = 1, maxdepth = 30
  )
  changes <- list(...)
  control[names(changes)] <- changes
  list(
    case = paste(c(set, tag), collapse = "__"), set = set, shrink = shrink, cycle = NULL,
    train_gaps = gaps, control = control
  )
}

GAPS <- list(seed = 5, below = 202)
CASES <- list(
  new_case("stagec"), new_case("stagec", "no_prior", 0), new_case("stagec", "count", surrogatestyle = 0),
  new_case("stagec", "gaps", gaps = GAPS), new_case("lung"), new_case("lung", "no_prior", 0),
  new_case("lung", "gaps", gaps = GAPS), new_case("pbc"), new_case("pbc", "half", 0.5),
  new_case("pbc", "gaps", gaps = GAPS), new_case("pbc", "small", minsplit = 6, minbucket = 2),
  new_case("veteran"), new_case("veteran", "no_prior", 0), new_case("veteran", "gaps", gaps = GAPS),
  new_case("machines"), new_case("machines", "no_prior", 0), new_case("machines", "gaps", gaps = GAPS),
  new_case("machines", "depth3", maxdepth = 3), new_case("stays"), new_case("stays", "no_prior", 0),
  new_case("stays", "strong", 0.2), new_case("stays", "one_surrogate", maxsurrogate = 1),
  new_case("stagec_whole"), new_case("stagec_whole", "no_prior", 0), new_case("stagec_whole", "count", surrogatestyle = 0),
  new_case("pbc_whole"), new_case("pbc_whole", "small", minsplit = 6, minbucket = 2), new_case("stays_whole"),
  new_case("stays_whole", "no_prior", 0), new_case("stays_whole", "strong", 0.2),
  new_case("stays_whole", "one_surrogate", maxsurrogate = 1)
)
PREDICT_GAPS <- list(seed = 77, below = 303)

fit_case <- function(case, x, xval) {
  set <- SETS[[case$set]]
  data <- x
  data$.answer <- Surv(set$time, set$event)
  do.call(rpart, list(
    formula = as.formula(paste(".answer ~", paste(names(x), collapse = " + "))), data = data,
    na.action = na.pass, method = "exp", parms = list(shrink = case$shrink), y = TRUE,
    control = do.call(rpart.control, c(case$control, list(xval = xval)))
  ))
}

cross_validated <- function(case, x) {
  uneven <- function(column) if (is.factor(column)) column else sqrt(column - min(column, na.rm = TRUE) + 1)
  x <- as.data.frame(lapply(x, uneven))
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
    train_node = I(train_node), gap_node = I(node_of(fit, delete_cells(x, PREDICT_GAPS))),
    scaled = I(unname(fit$y[, 1]))
  ))
}

# ---- files ---------------------------------------------------------------------------------------

arguments <- commandArgs(trailingOnly = TRUE)
out <- if (length(arguments) > 0) arguments[1] else "tests/rpart/lifetimes"
dir.create(file.path(out, "data"), recursive = TRUE, showWarnings = FALSE)
for (name in names(SETS)) {
  set <- SETS[[name]]
  data <- set$x
  data$.event <- set$event
  data$.time <- set$time
  write.csv(data, file.path(out, "data", paste0(name, ".csv")), row.names = FALSE, na = "")
}
for (case in CASES) write_result(result_of(case), out)
