import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const

/** Creates a certificate authority for this run and a certificate for each name. */
export async function makeCertificates(names: string[]) {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-tls-'))
	const authorityPath = join(folder, 'ca.pem')
	const authority = await generate([{ name: 'commonName', value: 'test authority' }], {
		...common,
		extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
	})
	// Node reads additional authorities only from a file (NODE_EXTRA_CA_CERTS).
	await writeFile(authorityPath, authority.cert)

	const pairs: Record<string, { key: string; cert: string }> = {}
	for (const name of names) {
		const leaf = await generate([{ name: 'commonName', value: name }], {
			...common,
			ca: { key: authority.private, cert: authority.cert },
			extensions: [
				{ name: 'basicConstraints', cA: false },
				{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
			],
		})
		pairs[name] = { key: leaf.private, cert: leaf.cert }
	}
	return { authorityPath, pairs, remove: () => rm(folder, { recursive: true, force: true }) }
}
