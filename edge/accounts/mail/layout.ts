import { BRAND_COLOR } from '../../platform/brand.ts'

/** The content of a mail, independent of HTML and plain text. */
export type Letter = {
	heading: string
	paragraphs: string[]
	action: { code: string } | { label: string; link: string } | null
	/** Small print: why the recipient gets this mail, and what to do if it is unexpected. */
	footnote: string
	/** Secondary actions, in small print. */
	links?: { label: string; link: string }[]
}

/** Escapes markup, since anybody can choose the names in a mail. */
export const escapeHtml = (text: string): string =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&#39;')

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

/** Dark colors for mail clients that support the media query; the others invert the light ones themselves. */
const DARK = `@media (prefers-color-scheme: dark) {
.page { background: #14151a !important; }
.card { background: #1f2128 !important; border-color: #343742 !important; }
.ink, .ink p { color: #eceef3 !important; }
.faint, .faint a { color: #a3a8b6 !important; }
.code { background: #2a2d37 !important; color: #ffffff !important; border-color: #454958 !important; }
}`

const linksHtml = (links: Letter['links'] = []): string =>
	links
		.map(
			({ label, link }) => `<br><a href="${escapeHtml(link)}" style="color:#6b7080">${escapeHtml(label)}</a>`,
		)
		.join('')

const paragraph = (text: string) =>
	`<p style="margin:0 0 16px;font-size:16px;line-height:1.55;color:#2b2e38">${escapeHtml(text)}</p>`

function actionHtml(action: Letter['action']): string {
	if (action === null) return ''
	if ('code' in action)
		return `<p class="code" style="margin:8px 0 24px;padding:18px 8px;text-align:center;${MONO};font-size:34px;line-height:1.2;font-weight:700;letter-spacing:8px;color:#14151a;background:#f3f4f8;border:1px solid #e0e3ec;border-radius:10px">${escapeHtml(action.code)}</p>`
	const link = escapeHtml(action.link)
	return `<p style="margin:8px 0 24px"><a href="${link}" style="display:inline-block;padding:13px 26px;font-size:16px;font-weight:600;color:#ffffff;background:${BRAND_COLOR};border-radius:8px;text-decoration:none">${escapeHtml(action.label)}</a></p>
<div class="faint"><p style="margin:0 0 16px;font-size:13px;line-height:1.5;color:#6b7080">Or open this link:<br><a href="${link}" style="color:#6b7080;word-break:break-all">${link}</a></p></div>`
}

/** Uses tables and inline styles, because all mail clients support them. */
export const renderHtml = ({
	heading,
	paragraphs,
	action,
	footnote,
	links,
}: Letter): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f8">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f8;${FONT}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px">
<tr><td class="faint" style="padding:0 4px 14px;font-size:15px;font-weight:700;color:#6b7080">Playhouse</td></tr>
<tr><td class="card ink" style="padding:32px 32px 12px;background:#ffffff;border:1px solid #e0e3ec;border-radius:14px">
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;color:#14151a;word-break:break-word">${escapeHtml(heading)}</h1>
${paragraphs.map(paragraph).join('\n')}
${actionHtml(action)}
</td></tr>
<tr><td class="faint" style="padding:16px 4px 0;font-size:13px;line-height:1.5;color:#6b7080">${escapeHtml(footnote)}${linksHtml(links)}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`

export function renderText({ heading, paragraphs, action, footnote, links = [] }: Letter): string {
	const small = links.map(({ label, link }) => `${label}:\n${link}`)
	return `${[heading, ...paragraphs, ...actionText(action), `-- \n${footnote}`, ...small].join('\n\n')}\n`
}

function actionText(action: Letter['action']): string[] {
	if (action === null) return []
	return ['code' in action ? `    ${action.code}` : `${action.label}:\n${action.link}`]
}
