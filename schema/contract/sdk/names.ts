import type { Operation } from '../kit/operation.ts'
import { findOmissionReason } from './left-out.ts'
import { resourcesByTag, type TagResources } from './resources.ts'

/** An operation with its name in the SDK, such as `communities.members.list`. */
export type NamedOperation = { readonly op: Operation; readonly name: string }

const NAME = /^[a-z][A-Za-z]{0,40}(\.[a-z][A-Za-z]{0,40}){1,2}$/

/** Returns the operations of the SDK with their names. Throws an error with one line for each invalid name. */
export function nameOperations(operations: readonly Operation[]): NamedOperation[] {
	const named = operations
		.filter((op) => findOmissionReason(op) === undefined)
		.map((op) => ({ op, name: op.sdk ?? deriveName(op) }))
	const problems = findNameProblems(named)
	if (problems.length > 0) throw new Error(problems.join('\n'))
	return named
}

function findNameProblems(named: readonly NamedOperation[]): string[] {
	const idByName = new Map<string, string>()
	const parents = new Set(named.flatMap(({ name }) => listParents(name)))
	return named.flatMap(({ op, name }) => {
		const other = idByName.get(name)
		idByName.set(name, op.id)
		const advice = `set sdk: 'resource.verb' in the operation ${op.id}`
		if (!NAME.test(name)) return [`${name} is not a valid function name of the SDK; ${advice}`]
		if (other !== undefined) return [`${other} and ${op.id} have the same name ${name} in the SDK; ${advice}`]
		return parents.has(name) ? [`${name} is both a function and a resource of the SDK; ${advice}`] : []
	})
}

const listParents = (name: string): string[] => {
	const parts = name.split('.')
	return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
}

/**
 * Derives a name from the tag and the id. The longest noun in the id gives the resource, and the other words give the
 * function: `createPlaybackToken` → `assets.createPlaybackToken`, `listSpacePosts` → `community.posts.listOfSpace`.
 */
export function deriveName({ id, tag }: Operation): string {
	const { resource, nouns = {} } = resourcesByTag[tag] ?? resourcesOfTagName(tag)
	const [verb = id, ...words] = splitWords(id)
	const matches = Object.entries(nouns)
		.map(([noun, resource]) => ({ resource, ...findNoun(words, splitWords(noun)) }))
		.filter(({ start }) => start >= 0)
		.toSorted((a, b) => b.length - a.length || b.start - a.start)
	const [match] = matches
	if (!match) return `${resource}.${id}`
	const before = words.slice(0, match.start)
	const others = [...before, ...words.slice(match.start + match.length)]
	const isOfOther = verb === 'list' && others.length === 1 && OWNERS.has(before[0] ?? '')
	return `${match.resource}.${verb}${isOfOther ? 'Of' : ''}${others.join('')}`
}

/** Nouns that can own a list: `listMemberPosts` lists the posts of one member. */
const OWNERS = new Set(['Asset', 'Comment', 'Member', 'Post', 'Space'])

const COMMUNITY = 'Community: '

function resourcesOfTagName(tag: string): TagResources {
	const words = tag.replace(COMMUNITY, '').split(' ')
	const camel = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('')
	const own = camel.charAt(0).toLowerCase() + camel.slice(1)
	const resource = tag.startsWith(COMMUNITY) ? `community.${own}` : own
	return { resource, nouns: { [camel]: resource } }
}

const splitWords = (name: string): string[] => name.split(/(?=[A-Z])/)

const toSingular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '')

function findNoun(words: readonly string[], noun: readonly string[]): { start: number; length: number } {
	const start = words.findIndex((_, at) =>
		noun.every((word, offset) => toSingular(words[at + offset] ?? '') === toSingular(word)),
	)
	return { start, length: noun.length }
}
