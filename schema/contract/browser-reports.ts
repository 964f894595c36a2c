import { operation } from './operation.ts'

export const MAX_REPORTS_BYTES = 16_384

export const sendBrowserReports = operation({
	id: 'sendBrowserReports',
	method: 'post',
	path: '/v1/reports',
	tag: 'Health and config',
	summary: 'Receive browser reports (CSP violations)',
	description:
		'Violations of the content security policy and the like, as `application/reports+json` or `application/csp-report`. They go to the log, at most ten of a request, without queries and fragments of addresses.',
	auth: 'public',
	takesBytes: { type: 'application/reports+json', maxBytes: MAX_REPORTS_BYTES },
	status: 204,
	shield: 'public-write',
})
