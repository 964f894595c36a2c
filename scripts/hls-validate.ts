import { parseArgs } from 'node:util'
import { allChecks } from './hls/rules/all.ts'
import { type Finding, type Report, validatePresentation } from './hls/validate.ts'

const help = `Reads an HLS presentation whole, master playlist to last segment, and says which of 25 rules of Apple's
authoring specification and RFC 8216 it breaks, and where.

  node scripts/hls-validate.ts [options] URL-or-path

  --json    the report as JSON
  --rules   list what is checked, and look at nothing
  --help    this text

Exit: 0 valid (rules that SHOULD hold may be broken), 1 a rule that MUST hold is broken, 2 nothing could be looked at.
`

/** At most this many places of one rule: a mistake that all segments have needs no thousand lines. */
const PLACES = 10

const { values, positionals } = parseArgs({
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
	console.error('Name one presentation; --help says more.')
	process.exitCode = 2
} else {
	await validate(address)
}

async function validate(from: string): Promise<void> {
	try {
		const report = await validatePresentation(from, { progress: sayProgress() })
		console.log(values.json ? JSON.stringify(report, null, 2) : describe(report))
		process.exitCode = report.isValid ? 0 : 1
	} catch (error) {
		const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
		console.error(`${from}: ${error instanceof Error ? error.message : error}${cause}`)
		process.exitCode = 2
	}
}

/** A line each few seconds, where somebody is looking. */
function sayProgress(): (done: number, total: number) => void {
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
		`${report.isValid ? 'Valid' : 'Not valid'}: ${size}; ${musts.length} broken, ${shoulds.length} could be better.`,
	].join('\n')
}

function section(title: string, findings: readonly Finding[]): string[] {
	const sections = [...new Set(findings.map((finding) => finding.section))]
	return sections.flatMap((each) => {
		const own = findings.filter((finding) => finding.section === each)
		const [first] = own
		return [
			`${title}: rule ${first?.rule} (${each}) ${first?.level} ${first?.text}`,
			...own.slice(0, PLACES).map(({ where, message }) => `  ${where}: ${message}`),
			...(own.length > PLACES ? [`  … and ${own.length - PLACES} more`] : []),
			...(first?.remark ? [`  (${first.remark})`] : []),
			'',
		]
	})
}
