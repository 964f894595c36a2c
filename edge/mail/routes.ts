import * as contract from '#schema/contract/mail.ts'
import { readBytes } from '../http/bytes-body.ts'
import { type Route, serve } from '../http/route.ts'
import { choicePage, donePage } from './pages.ts'
import { type Choice, choose } from './refusals.ts'

const policy =
	"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const page = (html: string) =>
	new Response(html, {
		headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
	})

/** Mail programs send `List-Unsubscribe=One-Click`, as a form of either kind; our page says more. */
async function choiceIn(request: Request): Promise<Choice> {
	if (request.body === null) return 'refuse'
	const bytes = await readBytes(request, contract.MAX_FORM_BYTES)
	const choice = new URLSearchParams(new TextDecoder().decode(bytes)).get('choice')
	return choice === 'report' || choice === 'allow' ? choice : 'refuse'
}

export const mailRoutes: Route[] = [
	serve(contract.showUnsubscribePage, async ({ query }) => page(choicePage(query.report !== undefined))),

	serve(contract.unsubscribe, async ({ deps, query, request }) => {
		const choice = await choiceIn(request)
		await choose(deps, query.token, choice)
		return page(donePage(choice))
	}),
]
