import { listCommands } from '../lib/command-list.ts'
import { runProof } from './proof.ts'
import { proofs } from './proofs.ts'

const firstSentence = (text: string): string =>
	/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0].replaceAll('\n', ' ') ?? text

const [name = '', ...args] = process.argv.slice(2)
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined
if (proof) await runProof(name, proof, args)
else
	listCommands('prove', {
		...Object.fromEntries(Object.entries(proofs).map(([each, { about }]) => [each, firstSentence(about)])),
		chaos: 'Injects faults while two machines share a video.',
		soak: 'Runs npm start under a mixed load and measures its memory.',
		suite: 'Runs npm test several times in a row, until a test fails.',
		upgrade: 'Proves that the previous release works on the schema of this one.',
	})
