import { render } from "preact";
import "./style/base.css";
import "./style/parts.css";
import { Page } from "./ui/page";
import { readTheme, showTheme } from "./ui/theme";

showTheme(readTheme());

const root = document.getElementById("page");
if (root) render(<Page />, root);
