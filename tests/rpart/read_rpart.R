# What the scripts here share: gaps, an rpart object as plain lists, and files.

NOISE <- 1e-12

words <- function(text) strsplit(text, " ", fixed = TRUE)[[1]]

# Cell (row i, column j), counted from 0, is deleted when a quadratic form in i and j, modulo the
# prime 1009, falls below `below`: as good as random, and the same in every language.
delete_cells <- function(x, gaps) {
  i <- seq_len(nrow(x)) - 1
  for (column in seq_along(x)) {
    j <- column - 1
    hash <- (31 * i^2 + 17 * i * j + 101 * j^2 + 7 * i + 13 * j + gaps$seed) %% 1009
    x[[column]][hash < gaps$below] <- NA
  }
  x
}

# ---- from an rpart object to plain lists ---------------------------------------------------------

side <- function(ncat) if (ncat < 0) "left" else "right"

# One row of fit$splits, with the names that its two numbers have here.
read_test <- function(fit, row, worth) {
  s <- fit$splits[row, ]
  name <- rownames(fit$splits)[row]
  test <- list(var = name)
  codes <- if (abs(s[["ncat"]]) > 1) fit$csplit[s[["index"]], seq_len(s[["ncat"]])]
  if (is.null(codes)) {
    test$cut <- s[["index"]]
    test$below <- side(s[["ncat"]])
  } else if (fit$ordered[[name]]) {
    test$cut <- sum(codes == codes[1]) - 0.5
    test$below <- side(codes[1] - 2)
  } else {
    test$levels <- paste(c("L", "-", "R")[codes], collapse = "")
  }
  test[[worth]] <- s[["improve"]]
  if (worth == "agree") test$adj <- s[["adj"]]
  test
}

# The table of splits lists for each internal node its primary, then its surrogates.
read_nodes <- function(fit) {
  frame <- fit$frame
  row <- 1
  k <- length(attr(fit, "ylevels"))
  lapply(seq_len(nrow(frame)), function(i) {
    f <- frame[i, ]
    node <- list(
      id = as.integer(rownames(frame)[i]), n = f$n, wt = f$wt, dev = f$dev,
      yval = if (k) attr(fit, "ylevels")[f$yval] else f$yval, complexity = f$complexity
    )
    if (k) {
      node$counts <- I(unname(f$yval2[1, 1 + seq_len(k)]))
      node$probs <- I(unname(f$yval2[1, 1 + k + seq_len(k)]))
    }
    if (f$var != "<leaf>") {
      node$split <- read_test(fit, row, "improve")
      node$surrogates <- lapply(row + seq_len(f$nsurrogate), function(r) read_test(fit, r, "agree"))
      row <<- row + 1 + f$ncompete + f$nsurrogate
    }
    node
  })
}

# Node numbers that rows are predicted from, by rpart's own routing.
node_of <- function(fit, x) {
  frame <- model.frame(delete.response(fit$terms), x, na.action = na.pass)
  as.integer(rownames(fit$frame))[rpart:::pred.rpart(fit, rpart:::rpart.matrix(frame))]
}

describe_columns <- function(x) {
  lapply(names(x), function(name) {
    column <- x[[name]]
    kind <- if (is.ordered(column)) "ordered" else if (is.factor(column)) "nominal" else "numeric"
    c(list(name = name, kind = kind), if (is.factor(column)) list(levels = I(levels(column))))
  })
}

# Splits that gain nothing are pruned off.
without_noise <- function(fit) {
  if (any(fit$frame$var != "<leaf>" & fit$frame$complexity < NOISE)) prune(fit, cp = NOISE) else fit
}

# ---- columns, and files --------------------------------------------------------------------------

plain <- function(x) as.data.frame(lapply(x, function(column) {
  if (is.ordered(column)) factor(as.character(column), levels(column), ordered = TRUE)
  else if (is.factor(column)) factor(as.character(column), sort(levels(column), method = "radix"))
  else as.numeric(column)
}))

json <- function(value) {
  if (is.null(value)) return("null")
  if (is.matrix(value)) return(json(I(lapply(seq_len(nrow(value)), function(i) I(value[i, ])))))
  if (is.list(value) && !is.null(names(value))) {
    entries <- sprintf("\"%s\": %s", names(value), vapply(value, json, ""))
    return(paste0("{", paste(entries, collapse = ", "), "}"))
  }
  if (is.list(value)) return(paste0("[", paste(vapply(value, json, ""), collapse = ", "), "]"))
  text <- if (is.character(value)) sprintf("\"%s\"", gsub("\"", "\\\\\"", value))
    else if (is.logical(value)) tolower(as.character(value))
    else ifelse(is.finite(value), sprintf("%.16g", value), "null")
  if (length(text) == 1 && !inherits(value, "AsIs")) text
  else paste0("[", paste(text, collapse = ", "), "]")
}

# One line for each key, and one for each column and node, so that a difference can be read.
write_result <- function(result, out) {
  entry <- function(key) {
    value <- result[[key]]
    if (!key %in% c("columns", "nodes")) return(sprintf("\"%s\": %s", key, json(value)))
    sprintf("\"%s\": [\n%s\n]", key, paste0("  ", vapply(value, json, ""), collapse = ",\n"))
  }
  text <- paste0("{\n", paste(vapply(names(result), entry, ""), collapse = ",\n"), "\n}")
  writeLines(text, file.path(out, paste0(result$case, ".json")), useBytes = TRUE)
}
