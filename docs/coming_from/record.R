# Record what R prints for the page on rpart: Rscript docs/coming_from/record.R [output folder]
#
# Run it from the root of the repository. The files here come from R 4.2 with rpart 4.1.19 and partykit 1.2-16. Folds are
# given, so that nothing is random.

library(rpart)
suppressPackageStartupMessages(library(partykit))
stopifnot(packageVersion("rpart") == "4.1.19", packageVersion("partykit") == "1.2.16")
out <- c(commandArgs(trailingOnly = TRUE), "docs/coming_from/recorded")[1]
record <- function(name, code) {
  lines <- sub(" +$", "", capture.output(code))
  writeLines(lines, file.path(out, paste0(name, ".txt")))
}

pima <- read.csv("src/spinney/datasets/data/pima_indians_diabetes.csv", stringsAsFactors = TRUE)
folds <- (seq_len(nrow(pima)) - 1) %% 10 + 1
fit <- rpart(class ~ ., pima, method = "class", control = rpart.control(cp = 0.02, xval = folds))
record("rpart_print", print(fit))
record("rpart_printcp", printcp(fit))
record("rpart_summary", summary(fit))
record("rpart_path", path.rpart(fit, nodes = 6))
record("rpart_predict", {
  print(predict(fit, pima[1:2, ]))
  print(predict(fit, pima[1:2, ], type = "class"))
})
record("partykit_print", print(as.party(fit)))
