"""Writes the documents of standard input (a list in JSON, see documents.ts) with ReportLab."""
import json
import sys

from reportlab.pdfgen.canvas import Canvas

for document in json.load(sys.stdin):
    width, height = document["page"]
    canvas = Canvas(document["file"], pagesize=(width, height))
    for x, y, w, h in document["boxes"]:
        canvas.rect(x, height - y - h, w, h, stroke=0, fill=1)
    for x, y, size, text in document["texts"]:
        canvas.setFont("Helvetica", size)
        canvas.drawString(x, height - y, text)
    for x, y, w, h, picture in document["pictures"]:
        canvas.drawImage(picture, x, height - y - h, w, h)
    canvas.showPage()
    canvas.save()
