import { z } from 'zod'
import { pathInt, WebUrl } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { createMemberToken } from './tokens.ts'

const operation = describeOperations('Community: sign-in')

const ProviderParams = z.object({ providerId: pathInt })

/** RFC 7636: 43 to 128 characters. */
const Verifier = z.string().regex(/^[\w.~-]{43,128}$/)
const Challenge = z.string().regex(/^[\w-]{43}$/)

const location = z.object({ location: z.string().meta({ description: 'Where the browser goes next' }) })

export const startMemberSignIn = operation({
	id: 'startMemberSignIn',
	method: 'get',
	path: '/api/headless/v1/sign_in/{providerId}',
	summary: 'Send a browser to an OpenID provider',
	description:
		'Open this in the browser itself, not by a script: it sets a cookie for 10 minutes. Afterwards the browser returns to `return_to`, with `code` in the query, or with `error` and `error_description`. `GET /api/headless/v1/community` lists the providers.',
	auth: 'public',
	shield: 'credentials',
	params: ProviderParams,
	query: z.object({
		return_to: WebUrl.meta({
			description: 'A page of one of the origins of the community, or of its verified custom domain',
		}),
		code_challenge: Challenge.meta({
			description:
				'SHA-256 of a new random `code_verifier`, as Base64url. Only the browser that keeps the verifier can exchange the code.',
		}),
	}),
	status: 303,
	answerHeaders: location,
	errors: ['not_found', 'org_suspended', 'not_configured', 'unavailable'],
})

export const finishMemberSignIn = operation({
	id: 'finishMemberSignIn',
	method: 'get',
	path: '/api/headless/v1/sign_in/{providerId}/callback',
	summary: 'Receive a browser from an OpenID provider',
	description:
		'The redirect URI of the provider. Whoever signs in for the first time becomes a managed member, if the provider lets anyone join. An account never signs in like this. Returns 400 unless the same browser has started this sign-in within 10 minutes; all other problems return to the page that started it.',
	auth: 'public',
	audit: 'community_member.vouched',
	shield: 'credentials',
	params: ProviderParams,
	query: z.object({
		state: z.string().min(1).max(200),
		code: z.string().min(1).max(4_096).optional(),
		error: z.string().max(1_000).optional(),
		iss: z.string().max(2_048).optional().meta({ description: 'The issuer (RFC 9207)' }),
	}),
	status: 303,
	answerHeaders: location,
	errors: ['not_found', 'org_suspended', 'not_configured'],
})

export const exchangeSignInCode = operation({
	id: 'exchangeSignInCode',
	method: 'post',
	path: '/api/headless/v1/sign_in/token',
	summary: 'Exchange the code of a sign-in for member tokens',
	description:
		'A code is valid for one minute and for one use. If it is used a second time within the minute, or with another verifier, all tokens of this sign-in are revoked.',
	auth: 'public',
	audit: 'none: short-lived token',
	idempotencyKey: { unkept: 'a code works once' },
	shield: 'credentials',
	body: z.object({ code: z.string().min(1).max(200), code_verifier: Verifier }),
	response: createMemberToken.response,
	errors: ['unauthorized', 'forbidden', 'org_suspended', 'not_configured'],
})
