import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "./app.css";
import { MantineProvider } from "@mantine/core";
import { DatesProvider } from "@mantine/dates";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readSession, signIn } from "./api/session";
import { makeRouter } from "./app/router";
import { cssVariables, theme } from "./theme";

const session = await readSession();
if (session) {
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <DatesProvider settings={{ locale: "en", firstDayOfWeek: 0 }}>
          <RouterProvider router={makeRouter(session)} />
        </DatesProvider>
      </MantineProvider>
    </StrictMode>,
  );
} else {
  signIn();
}
