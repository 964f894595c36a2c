import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Health and config')

export const MAX_REPORTS_BYTES = 16_384

export const sendBrowserReports = operation({
	id: 'sendBrowserReports',
	method: 'post',
	path: '/v1/reports',
	summary: 'Receive browser reports (CSP violations)',
	description:
		'Accepts violations of the content security policy and other browser reports, as `application/reports+json` or `application/csp-report`. At most ten reports per request are logged, with query and fragment removed from each URL.',
	auth: 'public',
	audit: 'none: work',
	idempotencyKey: { needless: 'a report is only logged' },
	takesBytes: { type: 'application/reports+json', maxBytes: MAX_REPORTS_BYTES },
	status: 204,
	shield: 'public-write',
})
