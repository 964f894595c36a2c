import { z } from 'zod'
import { data } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Settings } from './settings.ts'

const operation = describeOperations('Settings')

export const MAX_LOGO_BYTES = 5 * 1024 ** 2

export const setLogo = operation({
	id: 'setLogo',
	method: 'put',
	path: '/v1/settings/logo',
	summary: 'Upload the logo of the organization: JPG, PNG or WebP',
	description:
		'The body is the image itself, with at most 5 MB, 50 million pixels and 16,384 on each side. The type is detected from the content. Returns 400 for other types and for a damaged image. SVG is rejected, because it can contain scripts. Location, camera, texts and everything else that is not needed for display is removed before the image is stored. The previous logo is deleted a few minutes later, when no cached playback record refers to it any more.',
	auth: 'admin',
	openToKeys: 'changes an image, which can be uploaded again',
	audit: 'settings.updated',
	takesBytes: { type: 'image/*', maxBytes: MAX_LOGO_BYTES },
	response: data(Settings),
	errors: ['validation', 'not_found', 'gone'],
})

export const deleteLogo = operation({
	id: 'deleteLogo',
	method: 'delete',
	path: '/v1/settings/logo',
	summary: 'Remove the logo of the organization',
	description: 'Deletes the image. Does nothing if there is no logo.',
	auth: 'admin',
	openToKeys: 'removes an image, which can be uploaded again',
	audit: 'settings.updated',
	response: data(Settings),
	errors: ['not_found'],
})

export const getLogo = operation({
	id: 'getLogo',
	method: 'get',
	path: '/v1/settings/logo/{logoFile}',
	summary: 'Download a logo',
	description:
		"`logoUrl` points here. The URL needs no credential, so that web pages can show the logo, but its name can't be guessed. Caches may keep the image for a year, because each logo has a URL of its own.",
	auth: 'public',
	anyOrigin: true,
	params: z.object({ logoFile: z.string().regex(/^[0-9A-Za-z]{22}\.(jpg|png|webp)$/) }),
	answersWith: 'image/*',
	errors: ['not_found'],
})
