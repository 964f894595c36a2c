import { printBody, printFields } from './fields.ts'
import { escapeHtml, printInline, printMarkdown } from './html.ts'
import { type Message, type OpenApi, type Route, resolve } from './openapi.ts'

/** Prints one operation: what it takes and returns on the left, code on the right. */
export function printOperation(document: OpenApi, route: Route, canTry: boolean): string {
	const { method, path, op } = route
	const isWebhook = path.startsWith('event ')
	return `<section class="operation" id="${op.operationId}">
<div class="text">
<h2><a href="#${op.operationId}">${printInline(op.summary)}</a></h2>
<p class="route"><span class="method">${method}</span> <code>${escapeHtml(path).replaceAll('/', '/<wbr>')}</code></p>
${op.description ? printMarkdown(op.description) : ''}
${printParameters(document, route)}
${printMessage(document, 'Body', op.requestBody)}
${isWebhook ? '' : printResponses(document, route)}
</div>
<div class="code">
${(op['x-codeSamples'] ?? []).map(({ label, source }, index) => printCode(label, source, index === 0)).join('\n')}
${isWebhook ? printExample('Example', op.requestBody) : printExample('Response', findSuccess(route)?.[1])}
${canTry && !isWebhook ? printTry(route) : ''}
</div>
</section>`
}

const findSuccess = ({ op }: Route) => Object.entries(op.responses).find(([status]) => status.startsWith('2'))

function printParameters(document: OpenApi, { op }: Route): string {
	const parameters = (op.parameters ?? []).map((parameter) => resolve(document, parameter))
	if (parameters.length === 0) return ''
	const fields = parameters.map(({ name, schema, required, description, in: place }) => ({
		name,
		schema,
		isRequired: required === true,
		...(description !== undefined && { description }),
		place,
	}))
	return `<h3>Parameters</h3>${printFields(document, fields)}`
}

function printMessage(document: OpenApi, title: string, message: Message | undefined): string {
	const [type, media] = Object.entries(message?.content ?? {})[0] ?? []
	if (type === undefined) return ''
	const fields = media?.schema ? printBody(document, media.schema) : ''
	return `<h3>${title} <span class="type">${escapeHtml(type)}</span></h3>${fields || `<p>${escapeHtml(message?.description ?? '')}</p>`}`
}

function printResponses(document: OpenApi, route: Route): string {
	const [status, success] = findSuccess(route) ?? ['', undefined]
	const media = Object.values(success?.content ?? {})[0]
	const fields = media?.schema ? printBody(document, media.schema) : ''
	const errors = Object.entries(route.op.responses).filter(([other]) => /^[45]/.test(other))
	const meanings = errors.flatMap(([other, response]) =>
		(resolve(document, response).description ?? '')
			.split('\n\n')
			.map((line) => `<li><strong>${other}</strong> ${printInline(line)}</li>`),
	)
	return `${fields && `<details><summary>Response ${status}</summary>${fields}</details>`}
${meanings.length > 0 ? `<details><summary>Errors ${errors.map(([other]) => other).join(', ')}</summary><ul class="errors">${meanings.join('')}</ul></details>` : ''}`
}

function printExample(title: string, message: Message | undefined): string {
	const example = Object.values(message?.content ?? {})[0]?.example
	if (example === undefined) return ''
	return printCode(title, typeof example === 'string' ? example : JSON.stringify(example, null, 2), true)
}

const printCode = (title: string, source: string, isOpen: boolean) =>
	`<details${isOpen ? ' open' : ''}><summary>${title}</summary><pre tabindex="0"><code>${escapeHtml(source)}</code></pre></details>`

/** The form itself is built by try.js when it is opened. */
function printTry({ method, path, op }: Route): string {
	const body = op.requestBody?.content?.['application/json']?.example
	return `<details class="try" data-method="${method}" data-path="${escapeHtml(path)}"${
		body === undefined ? '' : ` data-body="${escapeHtml(JSON.stringify(body, null, 2))}"`
	}><summary>Try it</summary></details>`
}
