import { MAX_REPORTS_BYTES, sendBrowserReports } from '#schema/contract/operations/browser-reports.ts'
import { readBytes } from '../../../http/body/bytes-body.ts'
import { AppError } from '../../../http/errors.ts'
import { type Route, serve } from '../../../http/route.ts'
import { readReports } from './reports.ts'

const TYPES = ['application/reports+json', 'application/csp-report', 'application/json']

export const browserReportRoutes: Route[] = [
	serve(sendBrowserReports, async ({ deps, request }) => {
		const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
		if (!TYPES.includes(type))
			throw new AppError('unsupported_media_type', `send reports as one of ${TYPES.join(', ')}`)
		for (const report of readReports(parse(await readBytes(request, MAX_REPORTS_BYTES))))
			deps.log.info('browser report', report)
		return undefined
	}),
]

function parse(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
	} catch {
		throw new AppError('malformed', 'the body is not valid JSON')
	}
}
