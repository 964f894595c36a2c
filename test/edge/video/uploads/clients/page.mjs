// Runs in Chromium. Each function uploads a file with a client as its documentation shows, and resolves at its success.
import '@mux/mux-uploader'
import { createUpload } from '@mux/upchunk'
import AwsS3 from '@uppy/aws-s3'
import { Uppy } from '@uppy/core'
import Tus from '@uppy/tus'

/** Makes the same bytes as `clientFilm` in the test. */
function makeFile(size) {
	const words = new Uint32Array(Math.ceil(size / 4))
	for (let i = 0, x = size + 1; i < words.length; i++) {
		x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0
		words[i] = x
	}
	return new File([new Uint8Array(words.buffer, 0, size)], 'film.mp4', { type: 'video/mp4' })
}

/** Resolves with the number of chunks that the client has sent. */
function upChunk({ size, ...options }) {
	return new Promise((resolve, reject) => {
		let chunks = 0
		const upload = createUpload({
			file: makeFile(size),
			delayBeforeAttempt: 0.01,
			// 0 is a broken connection, which UpChunk does not retry by default.
			retryCodes: [0, 408, 502, 503, 504],
			...options,
		})
		upload.on('chunkSuccess', () => chunks++)
		upload.on('success', () => resolve(chunks))
		upload.on('error', ({ detail }) => reject(new Error(detail.message)))
	})
}

function muxUploader({ size, endpoint, chunkSize }) {
	return new Promise((resolve, reject) => {
		const element = document.createElement('mux-uploader')
		element.setAttribute('endpoint', endpoint)
		element.setAttribute('chunk-size', String(chunkSize))
		let chunks = 0
		element.addEventListener('chunksuccess', () => chunks++)
		element.addEventListener('success', () => resolve(chunks))
		element.addEventListener('uploaderror', ({ detail }) => reject(new Error(JSON.stringify(detail))))
		document.body.append(element)
		element.dispatchEvent(new CustomEvent('file-ready', { detail: makeFile(size) }))
	})
}

/** Resolves with the URL of the upload. */
async function uppy(size, plugin, options, meta = {}) {
	const uppy = new Uppy({ autoProceed: false }).use(plugin, options)
	uppy.addFile({ name: 'film.mp4', type: 'video/mp4', data: makeFile(size), meta })
	const { failed, successful } = await uppy.upload()
	if (failed.length > 0) throw new Error(String(failed[0].error))
	return successful[0].uploadURL
}

const uppyTus = ({ size, endpoint, token, sourceKey }) =>
	uppy(
		size,
		Tus,
		{
			endpoint,
			chunkSize: 5 * 1024 ** 2,
			headers: { authorization: `Bearer ${token}` },
			allowedMetaFields: ['filename', 'filetype'],
		},
		{ filename: sourceKey, filetype: 'video/mp4' },
	)

const uppyAwsS3 = ({ size, uploadUrl, headers }) =>
	uppy(size, AwsS3, { shouldUseMultipart: false, signRequest: async () => ({ url: uploadUrl, headers }) })

globalThis.clients = { upChunk, muxUploader, uppyTus, uppyAwsS3 }
