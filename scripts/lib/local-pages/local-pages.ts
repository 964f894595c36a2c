import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildMailboxPath, isSecret } from '../mailbox/address.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { FRAME_SANDBOX, renderListPage, renderMailFrame, renderMailPage } from '../mailbox/pages.ts'
import type { Changes } from './changes.ts'

export type Mail = { box: Mailbox; changes: Changes; secret: string }

export type LocalPages = {
	/** Undefined if mails are sent, or if other machines can reach the installation. */
	mail?: Mail | undefined
	/** Version of the Worker's pages; only in `npm run dev`. */
	reload?: Changes | undefined
}

const PAGE_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const FRAME_POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'; sandbox ${FRAME_SANDBOX}`

/**
 * Serves the pages below /_dev/. The dev proxy (lib/runtime/dev-proxy.mjs) forwards only requests from a browser on
 * this machine with a loopback host name. Other sites can neither frame nor read these pages. Mails also need the
 * secret in the URL, because the dev proxy can't detect a proxy that adds no header.
 */
export function serveLocalPages({ mail, reload }: LocalPages) {
	return async (request: Request): Promise<Response> => {
		const { pathname, searchParams } = new URL(request.url)
		if (!['GET', 'HEAD'].includes(request.method) || isForeign(request.headers)) return notFound()
		const after = searchParams.get('after') ?? ''
		if (reload) {
			if (pathname === '/_dev/reload.js') return file('../../dev/reload.js', 'text/javascript')
			if (pathname === '/_dev/version') return text(reload.version())
			if (pathname === '/_dev/changes') return text(await reload.next(after))
		}
		if (!mail) return notFound()
		if (pathname === '/_dev/mail.css') return file('../mailbox/mail.css', 'text/css')
		if (pathname === '/_dev/mail.js') return file('../mailbox/mail.js', 'text/javascript')
		const found = /^\/_dev\/mail(?:\/([^/]*)(\/.+)?)?$/.exec(pathname)
		if (!found) return notFound()
		const [, secret = '', path = ''] = found
		if (!isSecret(secret, mail.secret)) return notFound(MAIL_ADDRESS)
		return mailResponse(mail, path, after)
	}
}

async function mailResponse({ box, changes, secret }: Mail, path: string, after: string): Promise<Response> {
	const root = buildMailboxPath(secret)
	switch (path) {
		case '':
			return html(renderListPage(box.list(), changes.version(), root))
		case '/json':
			return Response.json(
				{ version: changes.version(), mails: box.list().map(({ html: _, ...shown }) => shown) },
				{ headers: common },
			)
		case '/changes':
			return text(await changes.next(after))
	}
	const [, id, asHtml] = /^\/(\d{1,9})(\/html)?$/.exec(path) ?? []
	const found = id && box.find(Number(id))
	if (!found) return notFound()
	return asHtml ? html(renderMailFrame(found), FRAME_POLICY, 'SAMEORIGIN') : html(renderMailPage(found, root))
}

/** Detects cross-site requests by frames, images or scripts. Following a link is allowed. */
function isForeign(headers: Headers): boolean {
	const site = headers.get('sec-fetch-site')
	if (site === null || site === 'same-origin' || site === 'none') return false
	return headers.get('sec-fetch-mode') !== 'navigate' || headers.get('sec-fetch-dest') !== 'document'
}

const common = {
	'cache-control': 'no-store',
	'cross-origin-opener-policy': 'same-origin',
	'cross-origin-resource-policy': 'same-origin',
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
}

const html = (body: string, policy = PAGE_POLICY, frames = 'DENY') =>
	new Response(body, {
		headers: {
			...common,
			'content-type': 'text/html; charset=utf-8',
			'content-security-policy': policy,
			'x-frame-options': frames,
		},
	})

const text = (body: string) =>
	new Response(body, { headers: { ...common, 'content-type': 'text/plain; charset=utf-8' } })

const file = async (name: string, type: string) =>
	new Response(await readFile(join(import.meta.dirname, name), 'utf8'), {
		headers: { ...common, 'content-type': `${type}; charset=utf-8` },
	})

const MAIL_ADDRESS = 'mails need the secret in their address; open the address that was printed at the start'

const notFound = (error = 'not found') =>
	Response.json(
		{ error },
		{
			status: 404,
			headers: { ...common, 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" },
		},
	)
