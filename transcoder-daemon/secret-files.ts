import { closeSync, openSync, readSync } from 'node:fs'

/** Far larger than any secret; a path such as /dev/zero must not fill the memory. */
const MAX_BYTES = 64 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads secrets from files: `NAME_FILE` holds the path of a file with the value of `NAME`, as with Docker, Kubernetes
 * and systemd. Returns the environment with the values, without the paths.
 */
export function readSecretFiles(
	env: Environment,
	names: readonly string[],
): { env: Record<string, string | undefined>; problems: string[] } {
	const result = { ...env }
	const problems: string[] = []
	for (const name of names) {
		const path = env[`${name}_FILE`]
		delete result[`${name}_FILE`]
		if (!path?.trim()) continue
		if (env[name]?.trim()) problems.push(`${name}_FILE: ${name} is set as well; remove one of them`)
		else
			try {
				result[name] = readSecret(path)
			} catch (error) {
				problems.push(`${name}_FILE: ${path} ${(error as Error).message}`)
			}
	}
	return { env: result, problems }
}

function readSecret(path: string): string {
	let text: string
	try {
		text = readStart(path, MAX_BYTES + 1)
	} catch (error) {
		throw new Error(`can't be read (${(error as NodeJS.ErrnoException).code})`)
	}
	if (text.length > MAX_BYTES) throw new Error('is too large for a secret')
	// Editors and `echo` append a line break that is not part of the secret.
	const value = text.replace(/\r?\n$/, '')
	if (value === '') throw new Error('is empty')
	return value
}

function readStart(path: string, maxBytes: number): string {
	const file = openSync(path, 'r')
	try {
		const buffer = Buffer.alloc(maxBytes)
		let length = 0
		for (let read = -1; read !== 0 && length < maxBytes; length += read)
			read = readSync(file, buffer, length, maxBytes - length, null)
		return buffer.toString('utf8', 0, length)
	} finally {
		closeSync(file)
	}
}
