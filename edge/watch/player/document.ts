import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { PAGE_DATA_ID, type PlayerPage } from '#schema/contract/watch/player-page.ts'
import { chooseDirection } from './language.ts'
import type { PlayerBuild } from './player-build.ts'

/** Markup in which every inserted text is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export type DocumentParts = {
	page: PlayerPage
	build: PlayerBuild
	nonce: string
	title: string
	/** Tags for the head, and the styles of this page alone. */
	head: Html
	styles: string
	body: Html
}

export const renderPlayerDocument = ({
	page,
	build,
	nonce,
	title,
	head,
	styles,
	body,
}: DocumentParts): Html =>
	html`<!doctype html>
<html lang="${page.language}" dir="${chooseDirection(page.language)}" class="${page.kind}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}</title>
<link rel="icon" href="/landing/playhouse.svg" type="image/svg+xml">
${head}
<style nonce="${nonce}">${raw(build.styles[page.kind] + styles)}</style>
<script type="module" crossorigin src="/player/${build.scripts[page.kind]}"></script>
</head>
<body>
${body}
<script type="application/json" id="${PAGE_DATA_ID}">${raw(stringifyForScript(page))}</script>
</body>
</html>
`

/** Returns JSON that can't close its script element. */
export const stringifyForScript = (value: unknown): string =>
	JSON.stringify(value)
		.replaceAll('<', String.raw`\u003c`)
		.replaceAll('\u2028', String.raw`\u2028`)
		.replaceAll('\u2029', String.raw`\u2029`)
