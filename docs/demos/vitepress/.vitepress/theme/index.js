import DefaultTheme from "vitepress/theme";
import { enhanceApp } from "../../figmill/figmill-client.mjs";

export default { extends: DefaultTheme, enhanceApp };
