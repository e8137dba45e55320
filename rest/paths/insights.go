package paths

import "math"

// insightResult is a page of a curated query: the paged envelope "plus slug, title,
// generatedAt, parameters, columns" (api "Curated query slugs"). A report recipe answers
// alike; the specification has no path that runs one.
var insightResult = Shape{Name: "InsightResult", Notes: map[string]string{
	"totalCount": "Rows across all pages.",
	"items":      "The rows of the page, with a property for each column.",
}}

// insightPages: "Business Insights paged queries pageSize: default 50; maximum
// set per query" (specification, Limits), which the query knows.
var insightPages = Paging{Index: "pageIndex", Usual: 50, Most: math.MaxInt32}

var insightRoutes = []Route{
	{get, "/queries/{slug}", "insights/insight", Tabled, insightResult},
	{get, "/report-recipes/{id}/rows", "insights/reportRecipeRows", Tabled, insightResult},
}

// reportRecipe is a report recipe. "Recipe schema: not shown."
var reportRecipe = Shape{Name: "ReportRecipe", Key: "id", Notes: map[string]string{
	"id": "The recipe's id.",
}}

// recipePages: "Business Insights paged queries pageSize: default 50" (specification,
// Limits). Recipes belong to no tenant, and neither do their page sizes.
var recipePages = Paging{Index: "pageIndex", Usual: 50, Most: 100}

var recipeRoutes = []Route{
	{get, "", "insights/reportRecipes", Listed, reportRecipe},
	{get, "/{id}", "insights/reportRecipe", Found, reportRecipe},
	{post, "", "insights/reportRecipeCreate", Created, reportRecipe},
	{put, "/{id}", "insights/reportRecipeReplace", Changed, reportRecipe},
	{del, "/{id}", "insights/reportRecipeDelete", Removed, Shape{}},
}
