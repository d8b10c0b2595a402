weights_for_fold <- function(shard, fold) if (is.null(fold)) shard$weights else ifelse(shard$foldid == fold, 0, shard$weights)
