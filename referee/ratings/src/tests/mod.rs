mod few_results;
mod fitness;
mod many_bots;
mod ratings;
mod reports;
