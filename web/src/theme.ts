import { createTheme, type CSSVariablesResolver } from "@mantine/core";

/** The look of the page: the library's, with text that is easy to read in both schemes. */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: 8,
  autoContrast: true,
  defaultRadius: "sm",
  fontFamily: "Inter, system-ui, -apple-system, Segoe UI, Roboto, sans-serif",
  cursorType: "pointer",
});

/** Secondary text must have a contrast of 4.5 to 1 on every ground of the page. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "#50575e", "--mantine-color-placeholder": "#5f666d", "--mantine-color-error": "#b02020" },
  dark: { "--mantine-color-dimmed": "#b4b9be", "--mantine-color-placeholder": "#9aa0a6", "--mantine-color-error": "#ff9a9a", "--mantine-color-anchor": "#b6c6ff" },
});
