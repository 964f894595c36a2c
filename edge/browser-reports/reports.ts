import type { LogFields } from '../platform/log.ts'

const MOST = 10
const MAX_LENGTH = 200

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is logged of the body of a request: of each report what went wrong where, and nothing that an address may hide. */
export function readReports(body: unknown): LogFields[] {
	const reports = Array.isArray(body) ? body : [body]
	return reports.filter(isFields).slice(0, MOST).map(readReport)
}

/** The Reporting API nests what it has to say in `body`, its predecessor in `csp-report`, with other names. */
function readReport(report: Fields): LogFields {
	const old = report['csp-report']
	const said = isFields(old) ? old : isFields(report.body) ? report.body : {}
	const text = (...values: unknown[]) => shorten(values.find((value) => typeof value === 'string'))
	return {
		type: text(report.type) ?? (isFields(old) ? 'csp-violation' : undefined),
		page: addressIn(text(said.documentURL, said['document-uri'], report.url)),
		directive: text(said.effectiveDirective, said['effective-directive'], said['violated-directive']),
		blocked: addressIn(text(said.blockedURL, said['blocked-uri'])),
		source: addressIn(text(said.sourceFile, said['source-file'])),
		line: [said.lineNumber, said['line-number']].find((line) => Number.isSafeInteger(line)) as
			| number
			| undefined,
	}
}

const shorten = (value: unknown): string | undefined =>
	typeof value === 'string' ? value.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_LENGTH) : undefined

/** Queries and fragments of pages here may hold tokens. Words such as `inline` stand in the place of addresses, too. */
function addressIn(text: string | undefined): string | undefined {
	if (text === undefined) return undefined
	const url = URL.parse(text)
	if (!url) return /^[\w-]{1,40}$/.test(text) ? text : 'unreadable'
	return url.origin === 'null' ? url.protocol : url.origin + url.pathname
}
