import { parseOptions } from '../../lib/command-options.ts'
import { allChecks } from './rules/all.ts'
import { type Finding, type Report, validatePresentation } from './validate.ts'

const help = `Reads an HLS presentation from the master playlist to the last segment, and reports which of 25 rules of Apple's
authoring specification and RFC 8216 it breaks, and where.

  npm run operate -- hls-validator [options] URL-or-path

  --json    print the report as JSON
  --rules   list the rules, without reading anything
  --help    show this help

Exit codes: 0 valid (SHOULD rules may be broken), 1 a MUST rule is broken, 2 the presentation could not be read.
`

/** Locations printed per rule: an error in every segment needs no thousand lines. */
const MAX_LOCATIONS = 10

const { values, positionals } = parseOptions({
	allowPositionals: true,
	options: {
		json: { type: 'boolean' },
		rules: { type: 'boolean' },
		help: { type: 'boolean', short: 'h' },
	},
})

const [address, ...more] = positionals
if (values.help) {
	console.log(help)
} else if (values.rules) {
	for (const { rule, section, level, text } of allChecks)
		console.log(`${String(rule).padStart(2)}  ${section.padEnd(17)} ${level.padEnd(7)} ${text}`)
} else if (address === undefined || more.length > 0) {
	console.error('Pass the URL or path of one presentation; see --help.')
	process.exitCode = 2
} else {
	await validate(address)
}

async function validate(from: string): Promise<void> {
	try {
		const report = await validatePresentation(from, { progress: progressPrinter() })
		console.log(values.json ? JSON.stringify(report, null, 2) : describe(report))
		process.exitCode = report.isValid ? 0 : 1
	} catch (error) {
		const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
		console.error(`${from}: ${error instanceof Error ? error.message : error}${cause}`)
		process.exitCode = 2
	}
}

/** Prints progress every few seconds, on a terminal only. */
function progressPrinter(): (done: number, total: number) => void {
	let last = Date.now()
	return (done, total) => {
		if (!process.stderr.isTTY || Date.now() - last < 2_000) return
		last = Date.now()
		console.error(`${done} of ${total} segments`)
	}
}

function describe(report: Report): string {
	const musts = report.findings.filter(({ level }) => level === 'MUST')
	const shoulds = report.findings.filter(({ level }) => level === 'SHOULD')
	const size = `${report.streams} streams, ${report.segments} segments, ${(report.bytes / 1e6).toFixed(1)} MB`
	return [
		...section('Broken', musts),
		...section('Advice', shoulds),
		...report.notes,
		`${report.isValid ? 'Valid' : 'Not valid'}: ${size}; ${musts.length} errors, ${shoulds.length} recommendations.`,
	].join('\n')
}

function section(title: string, findings: readonly Finding[]): string[] {
	const sections = [...new Set(findings.map((finding) => finding.section))]
	return sections.flatMap((each) => {
		const own = findings.filter((finding) => finding.section === each)
		const [first] = own
		return [
			`${title}: rule ${first?.rule} (${each}) ${first?.level} ${first?.text}`,
			...own.slice(0, MAX_LOCATIONS).map(({ where, message }) => `  ${where}: ${message}`),
			...(own.length > MAX_LOCATIONS ? [`  … and ${own.length - MAX_LOCATIONS} more`] : []),
			...(first?.remark ? [`  (${first.remark})`] : []),
			'',
		]
	})
}
