# The data files that come from R packages: lung, pbc, solder and veteran of survival (LGPL 2 or
# later), insurance of MASS (GPL 2 or 3).
#
# Rscript tests/datasets/make_from_r.R src/spinney/datasets/data

suppressPackageStartupMessages({
  library(survival)
  library(MASS)
})
folder <- commandArgs(TRUE)[1]

write <- function(table, name) {
  names(table) <- gsub("[.]", "_", tolower(names(table)))
  for (column in names(table)) {
    if (is.factor(table[[column]])) table[[column]] <- as.character(table[[column]])
  }
  cells <- as.data.frame(lapply(table, function(x) {
    if (is.numeric(x)) ifelse(is.na(x), "", format(x, digits = 15, trim = TRUE, drop0trailing = TRUE))
    else ifelse(is.na(x), "", x)
  }), check.names = FALSE)
  for (k in seq_along(cells)) cells[[k]] <- trimws(cells[[k]])
  path <- file.path(folder, paste0(name, ".csv"))
  file <- file(path, "wb")
  writeLines(paste(names(table), collapse = ","), file)
  writeLines(do.call(paste, c(unname(as.list(cells)), sep = ",")), file)
  close(file)
}

words <- function(codes, labels) labels[match(codes, names(labels))]

patients <- lung
patients$sex <- words(patients$sex, c("1" = "male", "2" = "female"))
patients$event <- as.numeric(patients$status == 2)
write(patients[c(
  "age", "sex", "ph.ecog", "ph.karno", "pat.karno", "meal.cal", "wt.loss", "event", "time"
)], "lung")

patients <- veteran
patients$treatment <- words(patients$trt, c("1" = "standard", "2" = "test"))
patients$prior <- words(patients$prior, c("0" = "no", "10" = "yes"))
patients$event <- patients$status
write(patients[c(
  "treatment", "celltype", "karno", "diagtime", "age", "prior", "event", "time"
)], "veteran")

patients <- pbc
patients$treatment <- words(patients$trt, c("1" = "penicillamine", "2" = "placebo"))
patients$sex <- words(patients$sex, c("f" = "female", "m" = "male"))
for (name in c("ascites", "hepato", "spiders")) {
  patients[[name]] <- words(patients[[name]], c("0" = "no", "1" = "yes"))
}
patients$age <- round(patients$age, 2)
patients$event <- as.numeric(patients$status == 2)
write(patients[c(
  "treatment", "age", "sex", "ascites", "hepato", "spiders", "edema", "bili", "chol", "albumin",
  "copper", "alk.phos", "ast", "trig", "platelet", "protime", "stage", "event", "time"
)], "pbc")

write(solder[c("Opening", "Solder", "Mask", "PadType", "Panel", "skips")], "solder")
write(Insurance[c("District", "Group", "Age", "Holders", "Claims")], "insurance")
