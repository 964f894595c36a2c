/**
 * Rules that our OpenAPI document does not meet, and why. It meets all other rules of Redocly (`recommended`), Spectral
 * (`oas`, recommended) and of the OWASP ruleset of Spectral. A test fails for an exception that is no longer needed.
 */
export const exceptions = {
	redocly: {
		'no-path-trailing-slash':
			'the specification of account deletion has these paths; they are also served without the slash',
		'operation-4xx-response': 'health checks have no errors of the caller',
		'operation-2xx-response': 'the connection of a machine answers 101',
		'no-illogical-composition-keywords': 'player events are checked one by one, so the list accepts anything',
	},
	spectral: {
		'path-keys-no-trailing-slash':
			'the specification of account deletion has these paths; they are also served without the slash',
		'operation-success-response': 'the connection of a machine answers 101',
		'operation-description': 'self-explanatory summaries need no description',
	},
	owasp: {
		'owasp:api1:2023-no-numeric-ids':
			'the community specification has numeric ids; access is checked by owner and membership, and videos have random ids',
		'owasp:api2:2023-no-credentials-in-url':
			'media elements and links in mails send no headers; these tokens cover one video, image or address, or open one stream once',
		'owasp:api2:2023-read-restricted': 'public by purpose: health, settings, public pages, images and videos',
		'owasp:api2:2023-write-restricted':
			'public by purpose: sign-in and sign-up, player events, comments, callbacks that are signed or have a capability in the URL',
		'owasp:api4:2023-array-limit':
			'responses are limited by their pages, and requests by fields of the schema or 1 MiB',
		'owasp:api4:2023-integer-format':
			'JSON and JavaScript have one kind of number; integers are exact up to 2^53',
		'owasp:api4:2023-integer-limit':
			'values of responses have no limit of their own; values of requests have one',
		'owasp:api4:2023-rate-limit':
			'RateLimit-Policy is on every response that counts, but the rule wants the counters, which Cloudflare does not reveal',
		'owasp:api4:2023-rate-limit-responses-429':
			'health checks, static files, machines and the processing of uploads count no requests',
		'owasp:api4:2023-string-limit':
			'texts of responses repeat what a request stored, and requests are limited',
		'owasp:api4:2023-string-restricted': 'titles, names and texts of people have no pattern',
		'owasp:api5:2023-admin-security-unique':
			'superadmins sign in as everyone else does; the role is checked on the server, and a matrix test covers each operation',
		'owasp:api8:2023-define-cors-origin':
			'the allowed origins are data of an organization, and OpenAPI would list the header on 4,000 responses',
		'owasp:api8:2023-define-error-responses-401': 'public operations never answer 401',
		'owasp:api8:2023-define-error-validation': 'these operations take no input that could be invalid',
		'owasp:api9:2023-inventory-access': 'the document describes the installation that serves it',
	},
} as const satisfies Record<string, Record<string, string>>

/** Redocly rules that are stricter than in `recommended`. */
export const stricterRedoclyRules = {
	'info-license': 'error',
	'operation-operationId': 'error',
	'no-required-schema-properties-undefined': 'error',
} as const
