import { render } from "preact";
import "./frame/style/base.css";
import "./frame/style/parts.css";
import { Page } from "./frame/page";
import { readTheme, showTheme } from "./frame/theme";
import { games } from "./games";

showTheme(readTheme());

const root = document.getElementById("page");
if (root) render(<Page games={games} />, root);
