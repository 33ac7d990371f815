<?php
// Writes the documents of standard input (a list in JSON, see documents.ts) with FPDF.
require '/usr/share/php/fpdf/fpdf.php';
foreach (json_decode(file_get_contents('php://stdin'), true) as $document) {
    [$width, $height] = $document['page'];
    $pdf = new FPDF('P', 'pt', [$width, $height]);
    $pdf->SetAutoPageBreak(false);
    $pdf->AddPage($width > $height ? 'L' : 'P', [$width, $height]);
    foreach ($document['boxes'] as [$x, $y, $w, $h]) {
        $pdf->Rect($x, $y, $w, $h, 'F');
    }
    foreach ($document['texts'] as [$x, $y, $size, $text]) {
        $pdf->SetFont('Helvetica', '', $size);
        $pdf->Text($x, $y, $text);
    }
    foreach ($document['pictures'] as [$x, $y, $w, $h, $picture]) {
        $pdf->Image($picture, $x, $y, $w, $h, 'PNG');
    }
    $pdf->Output('F', $document['file']);
}
