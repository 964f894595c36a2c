import { parseArgs } from 'node:util'
import { compareMethods, mixScripts } from './compare.ts'
import { readSpokenScripts } from './spoken-scripts.ts'

const HELP = `Compares the chapters that the Worker makes without a model with three baselines, on scripts whose topics are known.

  npm run bench -- chapters [options]

  --mixes N   other videos to make from the topics of the scripts (default 24)
  --help      prints this

Pk and WindowDiff are errors: 0 is perfect. F1 counts boundaries within 5 s: 1 is perfect. "even" and "random" are given
the true number of chapters.`

const { values } = parseArgs({
	options: { mixes: { type: 'string', default: '24' }, help: { type: 'boolean', default: false } },
})
if (values.help) console.log(HELP)
else printTables(Number(values.mixes))

function printTables(mixes: number): void {
	const sets = [
		{ name: 'the scripts', scripts: readSpokenScripts() },
		{ name: 'the scripts, without longer pauses between topics', scripts: readSpokenScripts(0.45) },
		{ name: `${mixes} mixes of their topics`, scripts: mixScripts(mixes) },
		{ name: `${mixes} mixes, without longer pauses between topics`, scripts: mixScripts(mixes, 0.45) },
	]
	for (const { name, scripts } of sets) {
		console.log(
			`\n${name}\n${'method'.padEnd(12)}${'Pk'.padStart(8)}${'WD'.padStart(8)}${'F1@5s'.padStart(8)}`,
		)
		for (const [method, { pk, windowDiff, f1 }] of Object.entries(compareMethods(scripts)))
			console.log(
				method.padEnd(12) + [pk, windowDiff, f1].map((score) => score.toFixed(3).padStart(8)).join(''),
			)
	}
}
