// What the page looks like and how fast it is there: phone and desktop, day and night.
import { expect, test } from "vitest";
import { Person } from "./browser";
import { Captain } from "./captain";
import { setup } from "./setup";

const here = setup();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test("the first draw comes within a second", async () => {
  const times: number[] = [];
  for (let visit = 0; visit < 3; visit++) {
    const person = await Person.arrives(here.browser, here.server.address);
    await person.goes("");
    await person.page.getByRole("button", { name: "Play now" }).waitFor();
    const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    await expect.poll(() => person.page.evaluate(paint)).toBeDefined();
    times.push((await person.page.evaluate(paint)) ?? Infinity);
    await person.leaves();
  }
  expect(Math.min(...times)).toBeLessThan(1_000);
});

test("a match is played on a phone, and nothing stands out of the screen", async () => {
  const person = await Person.arrives(here.browser, here.server.address, PHONE);
  const { page } = person;
  const captain = new Captain(page);
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  await person.goes("");
  await page.getByRole("button", { name: "Play now" }).tap();
  await captain.plans(1);
  expect(await width()).toBeLessThanOrEqual(390);
  await captain.locksIn();
  await captain.seesAll();
  await captain.plans(2);
  expect(await width()).toBeLessThanOrEqual(390);
  await person.leaves();
});

test("day and night are as the system has them, and as they are chosen", async () => {
  const paper = { light: "", dark: "" };
  for (const colorScheme of ["light", "dark"] as const) {
    const person = await Person.arrives(here.browser, here.server.address, { colorScheme });
    const { page } = person;
    const colour = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await person.goes("");
    await page.getByRole("button", { name: "Play now" }).waitFor();
    paper[colorScheme] = await colour();
    const other = colorScheme === "light" ? "dark" : "light";
    const theme = page.getByRole("button", { name: /^Theme/ });
    const chosen = page.getByRole("button", { name: `Theme: ${other}` });
    for (let click = 0; click < 3 && !(await chosen.isVisible()); click++) {
      const before = (await theme.getAttribute("aria-label")) ?? "";
      await theme.click();
      await expect.poll(() => theme.getAttribute("aria-label")).not.toBe(before);
    }
    expect(await chosen.isVisible()).toBe(true);
    await expect.poll(colour).not.toBe(paper[colorScheme]);
    await person.leaves();
  }
  expect(paper.light).not.toBe(paper.dark);
});
