import { readFile, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

/**
 * Removes comments and spaces from a bundled Worker and escapes what is not ASCII; its source map stays true. V8 holds the
 * whole source of a Worker, and two bytes for each character as soon as one of them is beyond Latin-1.
 */
export async function compactBundle(path: string): Promise<void> {
	// esbuild escapes strings itself, but leaves regular expressions as they are.
	await writeFile(path, escapeNonAscii(await readFile(path, 'utf8')))
	await build({
		...{ entryPoints: [path], outfile: path, allowOverwrite: true },
		...{ format: 'esm', charset: 'ascii', minifyWhitespace: true, legalComments: 'none' },
		...{ sourcemap: true, sourcesContent: false, logLevel: 'error' },
	})
}

/** Leaves out lines with String.raw, where an escape would be text. */
const escapeNonAscii = (source: string): string =>
	source.replace(/^(?!.*\braw`).*[^\0-\x7f].*$/gm, (line) =>
		// Halves of a character, because \u{…} is no escape in a regular expression without the flag u.
		line.replace(/[^\0-\x7f]/g, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`),
	)
