import { escapeHtml, printInline } from './html.ts'
import { type OpenApi, resolve, type Schema } from './openapi.ts'

/** Deeper fields are in the example alone. */
const MAX_DEPTH = 4
/** A body with more fields shows the first ones, and the others behind “more”. */
const SHOWN = 7

type Field = { name: string; schema: Schema; isRequired: boolean; description?: string; place?: string }

/** Prints the fields of a body; the fields of objects inside of it open on request. */
export function printBody(document: OpenApi, schema: Schema, depth = 0): string {
	const resolved = unwrap(document, schema)
	const forms = resolved.oneOf ?? resolved.anyOf
	if (forms && depth < MAX_DEPTH) {
		const printed = forms.map((form) => printBody(document, form, depth + 1)).filter(Boolean)
		return printed.join('<p class="or">or</p>')
	}
	const required = new Set(resolved.required)
	return printFields(
		document,
		Object.entries(resolved.properties ?? {}).map(([name, field]) => ({
			name,
			schema: field,
			isRequired: required.has(name),
		})),
		depth,
	)
}

export function printFields(document: OpenApi, fields: readonly Field[], depth = 0): string {
	if (fields.length === 0) return ''
	const printed = fields.map((field) => printField(document, field, depth))
	// One field more takes no more space than the line that would hide it.
	if (depth > 0 || printed.length <= SHOWN + 1) return `<ul class="fields">${printed.join('')}</ul>`
	return `<ul class="fields">${printed.slice(0, SHOWN).join('')}</ul>
<details><summary>${printed.length - SHOWN} more</summary><ul class="fields">${printed.slice(SHOWN).join('')}</ul></details>`
}

function printField(document: OpenApi, field: Field, depth: number): string {
	const { name, schema, isRequired, place } = field
	const description = field.description ?? schema.description ?? resolve(document, schema).description
	const inner = depth < MAX_DEPTH ? printBody(document, schema, depth + 1) : ''
	return `<li><code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(nameType(document, schema))}${place ? `, in ${place}` : ''}</span>${isRequired ? ' <span class="required">required</span>' : ''}${
		description ? `<div>${printInline(description)}</div>` : ''
	}${inner && `<details><summary>fields of ${escapeHtml(name)}</summary>${inner}</details>`}</li>`
}

/** Looks through lists and null, because their fields are those of their elements. */
function unwrap(document: OpenApi, schema: Schema): Schema {
	const resolved = resolve(document, schema)
	const options = resolved.anyOf?.filter(({ type }) => type !== 'null')
	if (options?.length === 1 && options[0]) return unwrap(document, options[0])
	return resolved.items ? unwrap(document, resolved.items) : resolved
}

function nameType(document: OpenApi, schema: Schema): string {
	const resolved = resolve(document, schema)
	const options = resolved.anyOf ?? resolved.oneOf
	if (options) return [...new Set(options.map((option) => nameType(document, option)))].join(' or ')
	if (resolved.const !== undefined) return JSON.stringify(resolved.const)
	if (resolved.enum)
		return `${resolved.enum.map((value) => JSON.stringify(value)).join(' | ')}${nameLimits(resolved)}`
	if (resolved.items) return `array of ${nameType(document, resolved.items)}`
	const type = [resolved.type ?? 'any value'].flat().join(' or ')
	return `${type}${resolved.format ? ` (${resolved.format})` : ''}${nameLimits(resolved)}`
}

function nameLimits({ minimum, maximum, maxLength, default: fallback }: Schema): string {
	const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
	const length = maxLength === undefined ? '' : `, at most ${maxLength} characters`
	return `${range}${length}${fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`}`
}
