package rest

import "math"

// insightResult is a page of a curated query: the paged envelope "plus slug, title,
// generatedAt, parameters, columns" (api "Curated query slugs"). A report recipe answers
// alike; the specification has no path that runs one.
var insightResult = shape{name: "InsightResult", notes: map[string]string{
	"totalCount": "Rows across all pages.",
	"items":      "The rows of the page, with a property for each column.",
}}

// insightPages: "Business Insights paged queries pageSize: default 50; maximum
// set per query" (specification, Limits), which the query knows.
var insightPages = paging{index: "pageIndex", usual: 50, most: math.MaxInt32}

var insightRoutes = []route{
	{get, "/queries/{slug}", "insights/insight", tabled, insightResult},
	{get, "/report-recipes/{id}/rows", "insights/reportRecipeRows", tabled, insightResult},
}

// reportRecipe is a report recipe. "Recipe schema: not shown."
var reportRecipe = shape{name: "ReportRecipe", key: "id", notes: map[string]string{
	"id": "The recipe's id.",
}}

// recipePages: "Business Insights paged queries pageSize: default 50" (specification,
// Limits). Recipes belong to no tenant, and neither do their page sizes.
var recipePages = paging{index: "pageIndex", usual: 50, most: 100}

var recipeRoutes = []route{
	{get, "", "insights/reportRecipes", listed, reportRecipe},
	{get, "/{id}", "insights/reportRecipe", found, reportRecipe},
	{post, "", "insights/reportRecipeCreate", created, reportRecipe},
	{put, "/{id}", "insights/reportRecipeReplace", changed, reportRecipe},
	{del, "/{id}", "insights/reportRecipeDelete", removed, shape{}},
}
