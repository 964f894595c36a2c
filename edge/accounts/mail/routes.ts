import * as contract from '#schema/contract/accounts/mail.ts'
import { readOptionalBytes } from '../../http/body/bytes-body.ts'
import { type Route, serve } from '../../http/route.ts'
import { renderChoicePage, renderDonePage } from './pages.ts'
import { applyChoice, type Choice } from './refusals.ts'

const policy =
	"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const page = (html: string) =>
	new Response(html, {
		headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
	})

/** Mail clients send `List-Unsubscribe=One-Click`, URL-encoded or multipart; our page sends `choice`. */
async function readChoice(request: Request): Promise<Choice> {
	const bytes = await readOptionalBytes(request, contract.MAX_FORM_BYTES)
	const choice = new URLSearchParams(new TextDecoder().decode(bytes)).get('choice')
	return choice === 'report' || choice === 'allow' ? choice : 'refuse'
}

export const mailRoutes: Route[] = [
	serve(contract.showUnsubscribePage, async ({ query }) =>
		page(renderChoicePage(query.report !== undefined)),
	),

	serve(contract.unsubscribe, async ({ deps, query, request }) => {
		const choice = await readChoice(request)
		await applyChoice(deps, query.token, choice)
		return page(renderDonePage(choice))
	}),
]
