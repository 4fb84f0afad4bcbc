# Loads every table of this folder into a list, with the types of codebook.csv. Base R only.
# Usage: setwd(<this folder>); source("load.R"); str(tables$sessions)
codebook <- read.csv("codebook.csv", colClasses = "character", na.strings = "", encoding = "UTF-8")
read_table <- function(name) {
  file <- list.files("data", pattern = paste0("_description-", name, "_data\\.csv$"), full.names = TRUE)
  x <- read.csv(file, colClasses = "character", na.strings = "", encoding = "UTF-8", check.names = FALSE)
  types <- codebook[codebook$table == name, ]
  for (i in seq_len(nrow(types))) {
    column <- types$column[i]
    x[[column]] <- switch(types$type[i],
      integer = as.numeric(x[[column]]),
      number = as.numeric(x[[column]]),
      boolean = x[[column]] == "true",
      datetime = as.POSIXct(x[[column]], format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC"),
      x[[column]])
  }
  x
}
tables <- sapply(unique(codebook$table), read_table, simplify = FALSE)
