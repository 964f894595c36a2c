import { parseOptions } from '../../lib/command-options.ts'
import { benchCrowd } from './crowd.ts'
import { benchMemory } from './memory.ts'
import { benchOperations } from './operations.ts'
import { benchStreams } from './streams.ts'
import { benchThroughput, TARGET } from './throughput.ts'

const VIEW_MS = 300_000

const parts = ['throughput', 'operations', 'memory', 'streams', 'crowd'] as const

const usage = `npm run bench -- analytics [options]

Measures analytics and live viewers in one workerd on this machine:

  throughput   reports a second through our Worker and through one that writes each to D1, in turns (goal ${TARGET} ×)
  operations   requests, object requests and rows that views of five minutes cost, for hot and cold videos
  memory       the heap of the Worker with an object of many viewers
  streams      how long a new number of viewers takes to all streams of it, and the calls that streams cost
  crowd        a video that many start at once, watch and leave: reports a second, shards, count against truth

  --only L         parts, with commas between them (default all)
  --rounds N       rounds of throughput (default 5)
  --requests N     reports of each round (default 2000)
  --views N        views of operations, for hot and for cold videos (default 1000)
  --viewers N      viewers of memory (default 8000)
  --streams N      clients of streams (default 3000)
  --crowd N        viewers of crowd (default 20000)
  --help           show this help`

const number = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseOptions({
	options: {
		only: { type: 'string', default: parts.join(',') },
		rounds: number('5'),
		requests: number('2000'),
		views: number('1000'),
		viewers: number('8000'),
		streams: number('3000'),
		crowd: number('20000'),
		help: { type: 'boolean', short: 'h', default: false },
	},
})

const run: Record<(typeof parts)[number], () => Promise<void>> = {
	throughput: () => benchThroughput(count(values.rounds), count(values.requests)),
	operations: () => benchOperations(count(values.views), VIEW_MS),
	memory: () => benchMemory(count(values.viewers)),
	streams: () => benchStreams(count(values.streams)),
	crowd: () => benchCrowd(count(values.crowd)),
}

if (values.help) console.log(usage)
else
	for (const part of parts) {
		if (!values.only.split(',').includes(part)) continue
		console.log(`\n${part}`)
		await run[part]()
	}

function count(text: string): number {
	const n = Number(text)
	if (!Number.isInteger(n) || n < 1 || n > 1_000_000)
		throw new Error(`${text} is not a number from 1 to 1000000`)
	return n
}
