import { escapeHtml } from '../../../edge/accounts/mail/layout.ts'
import type { StoredMail } from './mailbox.ts'

/** Blocks scripts in the frame. A link opens a new tab, which is not sandboxed. */
export const FRAME_SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – Playhouse mail</title>
<link rel="icon" href="/landing/playhouse.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shared/base.css">
<link rel="stylesheet" href="/_dev/mail.css">
</head>
<body>
${body}
</body>
</html>
`

export function renderListPage(mails: readonly StoredMail[], version: string, root: string): string {
	const items = mails.map(
		(mail) => `<li><a href="${root}/${mail.id}">
<span class="subject" dir="auto">${escapeHtml(mail.subject)}</span>
<span class="meta"><bdi>${escapeHtml(mail.to)}</bdi> ${time(mail)}</span>
</a></li>`,
	)
	return page(
		'Inbox',
		`<main>
<h1>Mail</h1>
<p class="lead">Mail delivery is not set up, so mails are not sent. The newest 100 are shown here until Playhouse stops.</p>
<p role="status" id="new-mail" data-root="${root}" data-version="${escapeHtml(version)}"></p>
${items.length > 0 ? `<ol class="mails" reversed>\n${items.join('\n')}\n</ol>` : '<p class="empty">No mail yet. Sign up or request a sign-in code to see one.</p>'}
</main>
<script src="/_dev/mail.js" type="module"></script>`,
	)
}

export function renderMailPage(mail: StoredMail, root: string): string {
	return page(
		mail.subject,
		`<nav aria-label="Mailbox"><a href="${root}">All mail</a></nav>
<main>
<h1 dir="auto">${escapeHtml(mail.subject)}</h1>
<dl>
<div><dt>From</dt><dd><bdi>${escapeHtml(mail.from)}</bdi></dd></div>
<div><dt>To</dt><dd><bdi>${escapeHtml(mail.to)}</bdi></dd></div>
<div><dt>Sent</dt><dd>${time(mail)}</dd></div>
</dl>
<section aria-labelledby="text"><h2 id="text">Text</h2><pre dir="auto" tabindex="0" aria-labelledby="text">${linked(mail.text)}</pre></section>
<section aria-labelledby="html"><h2 id="html">HTML</h2><iframe title="The mail as HTML" sandbox="${FRAME_SANDBOX}" referrerpolicy="no-referrer" src="${root}/${mail.id}/html"></iframe></section>
</main>`,
	)
}

/** Returns the HTML of a mail for the frame; links open in a new tab. */
export const renderMailFrame = ({ html }: StoredMail): string =>
	/<head[^>]*>/i.test(html)
		? html.replace(/<head[^>]*>/i, (head) => `${head}<base target="_blank">`)
		: `<base target="_blank">${html}`

const time = ({ at }: StoredMail): string =>
	`<time dir="ltr" datetime="${at.toISOString()}">${at.toISOString().replace('T', ' ').slice(0, 19)} UTC</time>`

const linked = (text: string): string =>
	text
		.split(/(https?:\/\/[^\s<>"]+)/)
		.map((part, index) =>
			index % 2 === 0
				? escapeHtml(part)
				: `<a href="${escapeHtml(part)}" target="_blank" rel="noopener noreferrer">${escapeHtml(part)}</a>`,
		)
		.join('')
