import { z } from 'zod'
import type { Auth, Operation } from '../operation.ts'
import { composeExample } from './compose-example.ts'
import { hasOwnExample } from './find-value.ts'
import { composePathParameters, composeRequest } from './operation-examples.ts'

type CodeSample = { lang: string; label: string; source: string }

/** The environment variable with the credential that a program would use, and the header that carries it. */
const credentialByAuth: Record<Auth, readonly [header: string, prefix: string, variable: string] | null> = {
	public: null,
	viewer: null,
	session: ['Authorization', 'Bearer ', 'PLAYHOUSE_TOKEN'],
	'unverified-session': ['Authorization', 'Bearer ', 'PLAYHOUSE_TOKEN'],
	renewal: ['Authorization', 'Bearer ', 'PLAYHOUSE_TOKEN'],
	'org-admin-person': ['Authorization', 'Bearer ', 'PLAYHOUSE_TOKEN'],
	superadmin: ['Authorization', 'Bearer ', 'PLAYHOUSE_TOKEN'],
	read: ['X-Api-Key', '', 'PLAYHOUSE_API_KEY'],
	write: ['X-Api-Key', '', 'PLAYHOUSE_API_KEY'],
	admin: ['X-Api-Key', '', 'PLAYHOUSE_API_KEY'],
	'headless-auth': ['X-Api-Key', '', 'PLAYHOUSE_API_KEY'],
	member: ['Authorization', 'Bearer ', 'MEMBER_TOKEN'],
	upload: ['Authorization', 'Bearer ', 'UPLOAD_TOKEN'],
	registration: ['Authorization', 'Bearer ', 'FLEET_TOKEN'],
	machine: ['Authorization', 'Bearer ', 'MACHINE_TOKEN'],
	metrics: ['Authorization', 'Bearer ', 'METRICS_TOKEN'],
}

/** Returns how to call the operation with its example, in a shell and in TypeScript, and how a page opens a stream. */
export function printCodeSamples(op: Operation): CodeSample[] {
	const request = composeCall(op)
	return [
		{ lang: 'shell', label: 'curl', source: printCurl(request) },
		{ lang: 'typescript', label: 'TypeScript', source: printFetch(request, op) },
		...(op.takesStreamToken
			? [{ lang: 'typescript', label: 'EventSource', source: printEventSource(request, op.takesStreamToken) }]
			: []),
	]
}

type Call = {
	method: string
	path: string
	credential: readonly [string, string, string] | null
	headers: Record<string, string>
	body: unknown
	isFile: boolean
	isStream: boolean
}

function composeCall(op: Operation): Call {
	const parameters = composePathParameters(op)
	const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''))
	const query = Object.entries(composeParameters(op, 'query'))
		.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
		.join('&')
	const body = composeRequest(op)
	const isFile = op.takesBytes !== undefined && !op.takesBytes.optional
	const type = body === undefined ? isFile && fileType(op.takesBytes?.type ?? '') : 'application/json'
	return {
		method: op.method.toUpperCase(),
		path: query ? `${path}?${query}` : path,
		credential: credentialByAuth[op.auth],
		headers: { ...(type && { 'Content-Type': type }), ...composeParameters(op, 'headers') },
		body,
		isFile,
		isStream: op.answersWith === 'text/event-stream',
	}
}

const fileType = (type: string): string => ({ 'image/*': 'image/jpeg', '*/*': 'text/vtt' })[type] ?? type

/** Samples contain the required parameters, and those that the vocabulary names for the operation. */
function composeParameters(op: Operation, part: 'query' | 'headers'): Record<string, string> {
	const fields = Object.entries(op[part]?.shape ?? {}).filter(
		([name, field]) => !field.safeParse(undefined).success || hasOwnExample(op.id, name),
	)
	return Object.fromEntries(
		fields.map(([name, field]) => [name, String(composeExample(field, [op.id, name]))]),
	)
}

function printCurl({ method, path, credential, headers, body, isFile, isStream }: Call): string {
	const option = method === 'GET' ? '' : method === 'HEAD' ? '--head ' : `-X ${method} `
	const lines = [`curl ${option}${isStream ? '-N ' : ''}"$PLAYHOUSE_URL${path}"`]
	if (credential) lines.push(`-H "${credential[0]}: ${credential[1]}$${credential[2]}"`)
	for (const [name, value] of Object.entries(headers)) lines.push(`-H '${name}: ${value}'`)
	if (body !== undefined) lines.push(`-d '${printJson(body, '  ').replaceAll("'", "'\\''")}'`)
	if (isFile) lines.push('--data-binary @file')
	return lines.join(' \\\n  ')
}

function printFetch(
	{ method, path, credential, headers, body, isFile, isStream }: Call,
	op: Operation,
): string {
	const shown = Object.entries(headers).map(([name, value]) => `    '${name}': ${quote(value)},`)
	if (credential)
		shown.unshift(`    '${credential[0]}': \`${credential[1]}\${process.env.${credential[2]}}\`,`)
	const options = [
		...(method === 'GET' ? [] : [`  method: '${method}',`]),
		...(shown.length > 0 ? ['  headers: {', ...shown, '  },'] : []),
		...(body === undefined ? [] : [`  body: JSON.stringify(${printJson(body, '  ')}),`]),
		...(isFile ? ["  body: await openAsBlob('file'),"] : []),
	]
	return [
		...(isFile ? [`import { openAsBlob } from ${quote('node:fs')}`, ''] : []),
		`const response = await fetch(\`\${process.env.PLAYHOUSE_URL}${path}\`${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''})`,
		`if (!response.ok${isStream ? ' || !response.body' : ''}) throw new Error(await response.text())`,
		...(isStream
			? ['for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text)']
			: []),
		...(op.response ? ['const result = await response.json()'] : []),
	].join('\n')
}

/** EventSource sends no headers, so a program creates a token with its credential. */
const printEventSource = ({ path }: Call, creation: Operation): string =>
	[
		printFetch(composeCall(creation), creation),
		`const { token } = result${namesData(creation) ? '.data' : ''}`,
		`const source = new EventSource(\`\${process.env.PLAYHOUSE_URL}${path.split('?')[0]}?token=\${encodeURIComponent(token)}\`)`,
		'source.onmessage = ({ data }) => console.log(JSON.parse(data))',
	].join('\n')

const namesData = ({ response }: Operation): boolean =>
	response instanceof z.ZodObject && 'data' in response.shape

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Short values stay on one line. */
const printJson = (value: unknown, indent: string): string => {
	const short = JSON.stringify(value)
	return short.length <= 60 ? short : JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}
