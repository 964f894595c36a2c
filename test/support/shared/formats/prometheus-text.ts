export type Family = {
	name: string
	type: string
	samples: { series: string; labels: Record<string, string>; value: number }[]
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]?Inf|[-+0-9.e]+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/** Reads the text format 0.0.4 and throws at the first line that breaks it. Stricter than Prometheus: nothing is optional. */
export function parseMetrics(text: string): Family[] {
	if (!text.endsWith('\n')) throw new Error('the last line has no end')
	const families: Family[] = []
	let help: string | undefined
	for (const line of text.slice(0, -1).split('\n')) {
		const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
		if (keyword === 'HELP') help = name
		else if (keyword === 'TYPE') families.push(openFamily(families, name, rest, help))
		else addSample(families.at(-1), line)
	}
	families.filter(({ type }) => type === 'histogram').forEach(checkHistogram)
	return families
}

function openFamily(
	families: readonly Family[],
	name: string,
	type: string,
	help: string | undefined,
): Family {
	if (!NAME.test(name)) throw new Error(`${name} is no name of a metric`)
	if (help !== name) throw new Error(`${name} has no help right before its type`)
	if (families.some((family) => family.name === name)) throw new Error(`${name} appears twice`)
	if (!['counter', 'gauge', 'histogram'].includes(type)) throw new Error(`${type} is no type`)
	return { name, type, samples: [] }
}

function addSample(family: Family | undefined, line: string): void {
	const [, name = '', labelText = '', value] = SAMPLE.exec(line) ?? []
	if (value === undefined) throw new Error(`not a sample: ${line}`)
	if (family?.samples.some(({ series }) => line.startsWith(`${series} `))) throw new Error(`twice: ${line}`)
	const names =
		family?.type === 'histogram'
			? ['_bucket', '_sum', '_count'].map((end) => family.name + end)
			: [family?.name]
	if (!names.includes(name)) throw new Error(`${name} is not of the family before it`)
	family?.samples.push({
		series: line.slice(0, line.lastIndexOf(' ')),
		labels: labelsIn(labelText),
		value: Number(value),
	})
}

function labelsIn(text: string): Record<string, string> {
	const labels: Record<string, string> = {}
	LABEL.lastIndex = 0
	while (LABEL.lastIndex < text.length) {
		const [, name = '', value = ''] = LABEL.exec(text) ?? []
		if (name === '' || name in labels) throw new Error(`not a list of labels: ${text}`)
		labels[name] = value
	}
	return labels
}

/** Buckets rise, and the last one counts everything. */
function checkHistogram({ name, samples }: Family): void {
	const own = (end: string) => samples.filter(({ series }) => series.startsWith(`${name}${end}`))
	const keyOf = ({ le: _, ...labels }: Record<string, string>) => JSON.stringify(labels)
	for (const total of own('_count')) {
		const values = own('_bucket').filter(({ labels }) => keyOf(labels) === keyOf(total.labels))
		const bounds = values.map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')))
		const isRising = (list: number[]) => list.every((value, i) => i === 0 || value >= (list[i - 1] ?? 0))
		if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !isRising(bounds))
			throw new Error(`${name}: bounds ${bounds}`)
		const counts = values.map(({ value }) => value)
		if (!isRising(counts) || counts.at(-1) !== total.value) throw new Error(`${name}: counts ${counts}`)
	}
}
