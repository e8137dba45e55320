package rest

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
