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

/** Skips lines with String.raw, where an escape would become text. */
const escapeNonAscii = (source: string): string =>
	source.replace(/^(?!.*\braw`).*[^\0-\x7f].*$/gm, (line) =>
		// Escapes each UTF-16 unit, because a regular expression without the flag u does not know \u{…}.
		line.replace(/[^\0-\x7f]/g, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`),
	)
