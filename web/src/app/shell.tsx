import { ActionIcon, Alert, Anchor, AppShell, Burger, Group, Menu, NavLink, Text, Tooltip, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMoon, IconSun, IconUserCircle } from "@tabler/icons-react";
import { Link, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Provider } from "urql";
import { newClient } from "../api/client";
import { forget } from "../api/recorder";
import { type Session, signIn } from "../api/session";
import { useRights } from "../parts/scopes";
import { Source } from "../parts/source";
import { Page } from "../parts/page";
import { Failure, Loading } from "../parts/states";
import { Toasts, useToasts } from "../parts/toast";
import { LiveContext, type Reading, ReadingContext, useReading, ViewerContext } from "./context";
import { DayBar } from "./daybar";
import { FindAgent } from "./find";
import { Help, Hint } from "./help";
import { mayOpen, pageOf, pages } from "./pages";
import { useStart } from "./start";

const SignOutEverywhere = lazy(() => import("./signout"));

/** The frame of every view: who is signed in, the pages, the day. */
export function Shell({ session }: { session: Session }) {
  const { tenant } = useParams({ strict: false }) as { tenant?: string };
  const { generation, opened, reading } = useGenerations();
  // A client begins with an empty cache: after a change everything is read anew.
  const client = useMemo(() => newClient(session.tenant), [session.tenant, generation]);
  const live = useMemo(() => newClient(session.tenant), [session.tenant]);
  if (tenant && tenant !== session.tenant) return <Elsewhere session={session} tenant={tenant} />;
  return (
    <Provider value={client}>
      <LiveContext.Provider value={live}>
        <ReadingContext.Provider value={reading}>
          <Frame session={session} opened={opened} />
        </ReadingContext.Provider>
      </LiveContext.Provider>
    </Provider>
  );
}

/** Counts how often everything was read anew, and the view opened anew; and what is being read now. */
function useGenerations() {
  const [generation, setGeneration] = useState(0);
  const [opened, setOpened] = useState(0);
  const [underWay, setUnderWay] = useState(0);
  const actions = useMemo(
    () => ({
      fresh: (fromTheBeginning = false) => {
        setGeneration((n) => n + 1);
        if (fromTheBeginning) setOpened((n) => n + 1);
      },
      begin: () => {
        setUnderWay((n) => n + 1);
        return () => setUnderWay((n) => n - 1);
      },
    }),
    [],
  );
  const reading = useMemo<Reading>(() => ({ ...actions, isUnderWay: underWay > 0 }), [actions, underWay > 0]);
  return { generation, opened, reading };
}

function Elsewhere({ session, tenant }: { session: Session; tenant: string }) {
  return (
    <Alert m="xl" title={`This page is about the agency ${tenant}`}>
      You are signed in to {session.tenant}. <Anchor onClick={() => signIn(tenant)}>Sign in to {tenant}</Anchor>
    </Alert>
  );
}

function Frame({ session, opened }: { session: Session; opened: number }) {
  const { viewer, error } = useStart(session);
  const { isUnderWay } = useReading();
  const [open, { toggle, close }] = useDisclosure();
  const toasts = useToasts().length;
  const path = useRouterState({ select: (s) => s.location.pathname });
  useEffect(() => {
    forget();
    close();
  }, [path, close]);
  if (error) return <Failure error={error} />;
  if (!viewer) return <Loading what="the agency" />;
  const here = pageOf(path.replace(`/${viewer.tenant}/`, "").replace(/^\/?workbench\//, ""));
  return (
    <ViewerContext.Provider value={viewer}>
      <AppShell header={{ height: here?.isOfNow ? 52 : 92 }} footer={{ height: { base: 64 * toasts, sm: 44 * toasts }, collapsed: toasts === 0 }} navbar={{ width: 190, breakpoint: "sm", collapsed: { mobile: !open } }} padding={0}>
        <AppShell.Header px="md" py={4}>
          <Group h={44} justify="space-between" wrap="nowrap" gap="xs">
            <Group gap="xs" wrap="nowrap">
              <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Pages" />
              <Text fw={700} visibleFrom="xs">
                Upline
              </Text>
              <Text c="dimmed" size="sm" visibleFrom="sm">
                {viewer.tenant}
                {viewer.isLimited && viewer.agentCode && `: ${viewer.agentCode} and below`}
              </Text>
            </Group>
            <FindAgent />
            <Group gap={4} wrap="nowrap">
              {here && <Help page={here} />}
              <SchemeButton />
              <Account session={session} />
            </Group>
          </Group>
          {!here?.isOfNow && <DayBar />}
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label="Pages">
          <AppShell.Section grow>
            {pages
              .filter((page) => mayOpen(page, viewer))
              .map((page) => (
                <PageLink key={page.path} page={page} path={path} tenant={viewer.tenant} />
              ))}
          </AppShell.Section>
          <AppShell.Section>
            {here && mayOpen(here, viewer) && <Hint key={here.path} page={here} />}
            <Source tenant={viewer.tenant} />
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main aria-busy={isUnderWay}>{here && !mayOpen(here, viewer) ? <NotForYou page={here} isLimited={viewer.isLimited} /> : <Outlet key={opened} />}</AppShell.Main>
        <AppShell.Footer withBorder={false}>
          <Toasts />
        </AppShell.Footer>
      </AppShell>
    </ViewerContext.Provider>
  );
}

/** Says why a page that a link led to is not shown. */
function NotForYou({ page, isLimited }: { page: (typeof pages)[number]; isLimited: boolean }) {
  const right = useRights();
  return (
    <Page title={page.label}>
      <Alert title="This page is not for your role" variant="outline" maw={640}>
        {page.isWhole && isLimited ? "It is about the whole agency, and you see a part of it." : `It takes a right that your role has not: ${page.scopes.map(right).join(", or: ")}. An administrator of the agency gives rights, by roles.`}
      </Alert>
    </Page>
  );
}

function PageLink({ page, path, tenant }: { page: (typeof pages)[number]; path: string; tenant: string }) {
  const to = `/${tenant}/${page.path}`;
  const folder = `/${tenant}/${page.path.split("/")[0]}`;
  const here = path.includes(folder) || (page.label === "Agents" && path.includes(`/${tenant}/agents/`));
  return <NavLink component={Link} to={to} label={page.label} leftSection={<page.icon size={18} stroke={1.6} />} active={here} aria-current={here ? "page" : undefined} />;
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <Tooltip label={`Use the ${other} scheme`}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Use the ${other} scheme`} onClick={() => setColorScheme(other)}>
        {scheme === "dark" ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

function Account({ session }: { session: Session }) {
  const [leaving, setLeaving] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <UnstyledButton aria-label={`Signed in as ${session.username}`}>
            <Group gap={6} wrap="nowrap">
              <IconUserCircle size={22} stroke={1.5} />
              <Text size="sm" visibleFrom="sm">
                {session.username}
              </Text>
            </Group>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={`/oauth2/sign-in?${new URLSearchParams({ next: "/workbench/", tenant: session.tenant })}`}>
            Sign in as somebody else
          </Menu.Item>
          <Menu.Item component="a" href="/oauth2/sign-out">
            Sign out
          </Menu.Item>
          <Menu.Item onClick={() => setLeaving(true)}>Sign out everywhere</Menu.Item>
          <Menu.Divider />
          <Menu.Item component="a" href="/workbench/licenses.txt" target="_blank">
            Third-party licences
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {leaving && (
        <Suspense>
          <SignOutEverywhere onClose={() => setLeaving(false)} />
        </Suspense>
      )}
    </>
  );
}
