import { expect, it } from "vitest";
import { keyName } from "./keys";

const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
  keyName({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });

it("names keys alike, however they are pressed", () => {
  expect(press("n")).toBe("n");
  expect(press("L", { shiftKey: true })).toBe("Shift+l");
  expect(press("L")).toBe("l");
  expect(press("z", { ctrlKey: true })).toBe("Ctrl+z");
  expect(press("Z", { metaKey: true, shiftKey: true })).toBe("Ctrl+Shift+z");
  expect(press("Enter", { ctrlKey: true })).toBe("Ctrl+Enter");
  expect(press("?", { shiftKey: true })).toBe("?");
  expect(press("1", { altKey: true })).toBe("Alt+1");
});
