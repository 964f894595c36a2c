import type { LogFields } from '../../../platform/log.ts'

const MAX_REPORTS = 10
const MAX_LENGTH = 200

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the fields of each report that are logged, without the parts of URLs that may hold secrets. */
export function readReports(body: unknown): LogFields[] {
	const reports = Array.isArray(body) ? body : [body]
	return reports.filter(isFields).slice(0, MAX_REPORTS).map(readReport)
}

/** Reads both formats: the Reporting API nests its fields in `body`, its predecessor in `csp-report` under other names. */
function readReport(report: Fields): LogFields {
	const old = report['csp-report']
	const body = isFields(old) ? old : isFields(report.body) ? report.body : {}
	const text = (...values: unknown[]) => shorten(values.find((value) => typeof value === 'string'))
	return {
		type: text(report.type) ?? (isFields(old) ? 'csp-violation' : undefined),
		page: addressIn(text(body.documentURL, body['document-uri'], report.url)),
		directive: text(body.effectiveDirective, body['effective-directive'], body['violated-directive']),
		blocked: addressIn(text(body.blockedURL, body['blocked-uri'])),
		source: addressIn(text(body.sourceFile, body['source-file'])),
		line: [body.lineNumber, body['line-number']].find((line) => Number.isSafeInteger(line)) as
			| number
			| undefined,
	}
}

const shorten = (value: unknown): string | undefined =>
	typeof value === 'string' ? value.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_LENGTH) : undefined

/** Removes the query and the fragment, which may hold tokens. Keywords such as `inline` can take the place of a URL. */
function addressIn(text: string | undefined): string | undefined {
	if (text === undefined) return undefined
	const url = URL.parse(text)
	if (!url) return /^[\w-]{1,40}$/.test(text) ? text : 'unreadable'
	return url.origin === 'null' ? url.protocol : url.origin + url.pathname
}
