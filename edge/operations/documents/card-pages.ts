import { AppError } from '../../http/errors.ts'
import type { App } from '../../http/hono-app.ts'
import { renderCardPage } from '../../http/html/card-page.ts'
import { serveAsset } from './asset.ts'

type Page = {
	title: string
	heading: string
	lead: string
	/** What the page is for, after "to". */
	purpose: string
	/** Whether `edge/web/pages` has a style sheet for it, beside its script. */
	isStyled?: true
}

/** Pages that mails and devices link to, and people open. They have their own sign-in and are also served in production. */
const pages: Record<string, Page> = {
	'cancel-deletion': {
		title: 'Keep your account',
		heading: 'Keep your account?',
		lead: 'Sign in as the person who received the email. Until then, nothing changes.',
		purpose: 'keep your account',
	},
	device: {
		title: 'Connect a device',
		heading: 'Connect a device',
		lead: 'Sign in to connect the device that shows you a code.',
		purpose: 'connect a device',
		isStyled: true,
	},
	join: {
		title: 'Invitation',
		heading: 'You have been invited',
		lead: 'Sign in or create an account to join.',
		purpose: 'join',
	},
	security: {
		title: 'Security of your account',
		heading: 'Security of your account',
		lead: 'Sign in to see and change how you sign in, and where you are signed in.',
		purpose: 'change how you sign in',
		isStyled: true,
	},
}

export const cardPagePaths = Object.keys(pages).map((name) => `/${name}`)

const policy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Mounts the pages, and the scripts and style sheets that they load. */
export function cardPageRoutes(app: App): void {
	for (const [name, page] of Object.entries(pages))
		app.get(`/${name}`, (c) => {
			// Without its script, the page does nothing.
			if (!c.get('deps').env.bindings.ASSETS) throw new AppError('not_found', 'not found')
			return c.body(printPage(name, page), 200, {
				'content-type': 'text/html; charset=utf-8',
				'content-security-policy': policy,
				// The URL may hold a token.
				'cache-control': 'no-store',
			})
		})
	for (const path of [...cardPagePaths.map((page) => `${page}/:file`), '/shared/:file'])
		app.get(path, (c) => serveAsset(c.req.path, c.req.raw, c.get('deps').env.bindings.ASSETS, policy))
}

const printPage = (name: string, { title, heading, lead, purpose, isStyled }: Page): string =>
	renderCardPage({
		title,
		heading,
		lead,
		head: [
			...(isStyled ? [`<link rel="stylesheet" href="/${name}/${name}.css">`] : []),
			`<script type="module" src="/${name}/${name}.js"></script>`,
		],
		content: `<div class="step"></div>
<noscript><p class="message">Turn on JavaScript to ${purpose}.</p></noscript>`,
	})
