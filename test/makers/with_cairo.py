"""Writes the documents of standard input (a list in JSON, see documents.ts) with cairo."""
import json
import sys

import cairo

for document in json.load(sys.stdin):
    surface = cairo.PDFSurface(document["file"], *document["page"])
    context = cairo.Context(surface)
    for box in document["boxes"]:
        context.rectangle(*box)
    context.fill()
    context.select_font_face("sans-serif")
    for x, y, size, text in document["texts"]:
        context.set_font_size(size)
        context.move_to(x, y)
        context.show_text(text)
    for x, y, w, h, picture in document["pictures"]:
        image = cairo.ImageSurface.create_from_png(picture)
        context.save()
        context.translate(x, y)
        context.scale(w / image.get_width(), h / image.get_height())
        context.set_source_surface(image)
        context.get_source().set_filter(cairo.FILTER_NEAREST)
        context.paint()
        context.restore()
    surface.finish()
