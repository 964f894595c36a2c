import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from './failure.ts'

const names = ['AUTH_SECRET', 'FLEET_TOKEN'] as const
type Secrets = Record<(typeof names)[number], string> & { AUTH_SECRET_PREVIOUS?: string }

/**
 * Returns the secrets of secrets.json and creates them on the first start. For replacing AUTH_SECRET see
 * scripts/operate/reseal.ts --help.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
	const path = join(dataDir, 'secrets.json')
	const stored = await readSecrets(path)
	if (stored) return stored
	const secrets = { AUTH_SECRET: newSecret(48), FLEET_TOKEN: newSecret(32) }
	const draft = `${path}.${randomUUID()}`
	try {
		await writeFile(draft, `${JSON.stringify(secrets, null, '\t')}\n`, { mode: 0o600, flush: true })
		// link() fails if the file exists. So one of two writers wins, and no partial file is ever read.
		await link(draft, path)
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
	} finally {
		await rm(draft, { force: true })
	}
	return (await readSecrets(path)) ?? secrets
}

async function readSecrets(path: string): Promise<Secrets | undefined> {
	let text: string
	try {
		text = await readFile(path, 'utf8')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
		throw error
	}
	await chmod(path, 0o600)
	const secrets = parse(text)
	// New secrets would silently lock everybody out.
	if (!secrets)
		throw new StartFailure(`${path} is damaged: restore a copy, or remove the file to create new secrets`)
	return secrets
}

function parse(text: string): Secrets | undefined {
	try {
		const value: Record<string, unknown> = JSON.parse(text)
		return names.every((name) => typeof value[name] === 'string') ? (value as Secrets) : undefined
	} catch {
		return undefined
	}
}

const newSecret = (bytes: number) => randomBytes(bytes).toString('base64url')
